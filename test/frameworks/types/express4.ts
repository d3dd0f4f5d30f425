import express, { type Request, type Response } from 'express4'
import { webhook } from 'hookproof/express'

const secret = 'whsec_1'
const app = express()

app.post(
  '/webhook',
  webhook({ secret }, () => {}),
)
app.use(
  '/hooks',
  webhook({ secret }, (_, { request, response }: { request: Request; response: Response }) => {
    response.locals.tenant = request.params.tenant
  }),
)
const handler: express.RequestHandler = webhook({ secret }, (_, { request }) => request.url)
app.use(express.json(), handler)

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
