import { All, Controller, type MiddlewareConsumer, Module, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Request, Response } from 'express'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { verify } from 'hookproof'
import { toWebhookRequest, webhook } from 'hookproof/nest'

const secret = 'whsec_1'
const receive = webhook({ secret }, ({ event }) => check<Equal<typeof event.event_id, string>>())

@Controller('webhook')
class OnExpress {
  readonly #receive = webhook(
    { secret },
    (_, { request }: { request: Request; response: Response }) => request.params.tenant,
  )

  @All()
  async receive(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#receive(request, response)
    await receive(request, response)
    await verify(toWebhookRequest(request), { secret })
    // @ts-expect-error TS2345: a response is no request
    toWebhookRequest(response)
  }
}

@Controller('webhook')
class OnFastify {
  readonly #receive = webhook(
    { secret },
    (_, { response }: { request: FastifyRequest; response: FastifyReply }) => response.elapsedTime,
  )

  @All()
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await receive(request, reply)
    await this.#receive(request, reply)
    await verify(toWebhookRequest(request), { secret })
  }
}

@Module({ controllers: [OnExpress, OnFastify] })
class App {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(receive).forRoutes('hooks')
  }
}

const app = await NestFactory.create(App, { rawBody: true })
app.use('/webhook', receive)
// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
