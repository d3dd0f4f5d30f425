import 'reflect-metadata'
import { pathToFileURL } from 'node:url'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

// node nest-file.js <file>: the controller that the file exports, in an app that keeps raw bodies.
const { WebhookController } = await import(pathToFileURL(process.argv[2]).href)
class App {}
Module({ controllers: [WebhookController] })(App)
const app = await NestFactory.create(App, { rawBody: true })
await app.listen(0, '127.0.0.1')
console.log(`listening on ${await app.getUrl()}`)
