import { createServer } from 'node:http'
import express from 'express'
import { createApp, defineEventHandler, fromNodeMiddleware, readBody, toNodeListener } from 'h3v1'
import { webhook } from 'hookproof/h3'
import { createReceiver } from '../../adapters/receiver.js'

const { options, handler, control, failed } = createReceiver()
const receive = defineEventHandler(webhook(options, handler))
const app = createApp({ onError: (error) => failed(error.cause ?? error) })
app.use(
  '/-/',
  defineEventHandler((event) => control(event.node.req.originalUrl)),
)
app.use('/large', defineEventHandler(webhook({ ...options, maxBodyBytes: undefined }, handler)))
app.use(
  '/kept',
  defineEventHandler(async (event) => {
    await readBody(event)
  }),
)
app.use('/buffer', fromNodeMiddleware(express.raw({ type: () => true })))
app.use('/parsed', fromNodeMiddleware(express.json()))
app.use(
  '/read',
  defineEventHandler(async (event) => {
    for await (const _ of event.node.req);
  }),
)
app.use(
  '/half',
  defineEventHandler(
    webhook(options, (_, { node }) => {
      node.res.writeHead(200, { 'Content-Length': 1000 }).write('half')
      throw new Error('too late')
    }),
  ),
)
app.use(receive)
const server = createServer(toNodeListener(app)).listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
