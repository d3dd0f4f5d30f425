// Loaded before a program that does not say where it listens: prints it.

import { Server } from 'node:net'

const { emit } = Server.prototype

Server.prototype.emit = function (event, ...args) {
  if (event === 'listening') console.log(`listening on http://127.0.0.1:${this.address().port}`)
  return emit.call(this, event, ...args)
}
