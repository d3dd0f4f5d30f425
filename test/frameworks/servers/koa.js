import { text } from 'node:stream/consumers'
import { bodyParser } from '@koa/bodyparser'
import express from 'express'
import { webhook } from 'hookproof/koa'
import Koa from 'koa'
import olderBodyParser from 'koa-bodyparser'
import { createReceiver } from '../../adapters/receiver.js'

const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)
const read = (context) => text(context.req)

/** What runs before the receiver, by path. */
const BEFORE = {
  '/kept': bodyParser(),
  '/kept-older': olderBodyParser(),
  '/raw': (context, next) =>
    read(context).then((body) => {
      context.request.body = Buffer.from(body)
      return next()
    }),
  // As where a platform in front of Koa's own callback has read the body.
  '/kept-by-platform': (context, next) =>
    read(context).then((body) => {
      Object.assign(context.req, { rawBody: Buffer.from(body), body: JSON.parse(body) })
      return next()
    }),
  '/parsed': (context, next) =>
    read(context).then((body) => {
      context.request.body = JSON.parse(body)
      return next()
    }),
  '/express-json': async (context, next) => {
    await new Promise((resolve) => express.json()(context.req, context.res, resolve))
    return next()
  },
  '/read': (context, next) => read(context).then(next),
}

const app = new Koa()
app.silent = true
app.on('error', failed)
app.use(async (context, next) => {
  context.body = control(context.url)
  if (context.body !== undefined) return
  await next()
  // Reaches the answer only because Koa has yet to send it.
  context.set('X-Middleware-Before', 'ran')
})
app.use((context, next) => (BEFORE[context.path] ?? ((_, next) => next()))(context, next))
const PATHS = {
  '/large': webhook({ ...options, maxBodyBytes: undefined }, handler),
  '/own-answer': webhook(options, (_, { res }) => res.writeHead(202).end()),
  '/half': webhook(options, (_, { res }) => {
    res.writeHead(200, { 'Content-Length': 1000 }).write('half')
    throw new Error('too late')
  }),
}
app.use((context) => (PATHS[context.path] ?? receive)(context))
const server = app.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
