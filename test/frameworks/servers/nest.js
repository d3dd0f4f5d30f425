import 'reflect-metadata'
import { text } from 'node:stream/consumers'
import { All, Catch, Controller, Module, Req, Res } from '@nestjs/common'
import { BaseExceptionFilter, NestFactory } from '@nestjs/core'
import express from 'express'
import { webhook } from 'hookproof/nest'
import { createReceiver } from '../../adapters/receiver.js'

// node nest.js <express | fastify> <use | controller>: decorators are functions, called by hand here.

const [, , platform, shape] = process.argv
const rawBody = shape === 'controller'

const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)

class Receiver {
  receive(request, response) {
    return receive(request, response)
  }
}
const { prototype } = Receiver
Controller()(Receiver)
const paths = ['', platform === 'fastify' ? '*' : '*path']
All(paths)(prototype, 'receive', Object.getOwnPropertyDescriptor(prototype, 'receive'))
Req()(prototype, 'receive', 0)
Res()(prototype, 'receive', 1)

class App {
  configure(consumer) {
    if (rawBody) consumer.apply(receive).forRoutes('middleware')
  }
}
Module({ controllers: [Receiver] })(App)

class Filter extends BaseExceptionFilter {
  catch(error, host) {
    failed(error)
    super.catch(error, host)
  }
}
Catch()(Filter)

const adapters = {
  express: async () => new (await import('@nestjs/platform-express')).ExpressAdapter(),
  fastify: async () => new (await import('@nestjs/platform-fastify')).FastifyAdapter(),
}
const app = await NestFactory.create(App, await adapters[platform](), { rawBody, logger: false })
app.useGlobalFilters(new Filter(app.getHttpAdapter()))
app.use((request, response, next) => {
  const record = control(request.url)
  return record === undefined ? next() : response.end(record)
})
if (shape === 'use') {
  app.use('/large', webhook({ ...options, maxBodyBytes: undefined }, handler))
  app.use(
    '/half',
    webhook(options, (_, { response }) => {
      response.writeHead(200, { 'Content-Length': 1000 }).write('half')
      throw new Error('too late')
    }),
  )
  // By another name: one that is called as Nest's own would take its place.
  const parser = express.json()
  app.use('/express-json', (request, response, next) => parser(request, response, next))
  app.use('/read', (request, _response, next) => text(request).then(() => next(), next))
  app.use((request, response, next) =>
    request.url === '/parsed' ? next() : receive(request, response, next),
  )
} else if (platform === 'fastify') {
  // Fastify takes no other media types by itself, and text as text.
  const fastify = app.getHttpAdapter().getInstance()
  fastify.removeContentTypeParser('text/plain')
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
}
await app.listen(0, '127.0.0.1')
console.log(`listening on ${await app.getUrl()}`)
