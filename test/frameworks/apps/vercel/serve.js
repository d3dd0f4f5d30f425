// node serve.js <entrypoint>: one function on Vercel's own development server, with a port that
// opens when the function is there.

import { connect, createServer } from 'node:net'
import vercel from '@vercel/node'

const { port } = await vercel.startDevServer({
  entrypoint: process.argv[2],
  workPath: process.cwd(),
  config: {},
  meta: {},
  files: {},
})

createServer((socket) => {
  const server = connect(port, '127.0.0.1')
  socket.pipe(server).pipe(socket)
  socket.on('error', () => server.destroy())
  server.on('error', () => socket.destroy())
}).listen(process.env.PORT, '127.0.0.1')
