import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { RawExchange } from './contract.ts'

/** A raw exchange over a TCP socket. */
export const raw: RawExchange = async (url, chunks, abort) => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  // The other side may reset the connection while this one writes: what it said before counts.
  socket.on('error', () => {})
  let answer = ''
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  try {
    await Promise.race([once(socket, 'connect'), closed])
    for (const chunk of chunks) {
      if (socket.destroyed || final(answer) !== '') break
      await write(socket, chunk)
    }
    while (abort === undefined && !socket.destroyed && !isWhole(final(answer))) {
      await Promise.race([new Promise((resolve) => socket.once('data', resolve)), closed])
    }
  } finally {
    socket.destroy()
  }
  await closed
  return answer
}

/** Writes, and lets the other side have its turn. */
async function write(socket: Socket, chunk: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.once('close', resolve)
    socket.write(chunk, () => {
      socket.off('close', resolve)
      setImmediate(resolve)
    })
  })
}

/** The answer behind any 100 Continue. */
function final(answer: string): string {
  return answer.replace(/^(?:HTTP\/1\.1 1\d\d[^\r]*\r\n(?:[^\r]+\r\n)*\r\n)*/u, '')
}

/** Whether an answer has come to its end, by its own length. */
function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n')
  if (end < 0) return false
  const head = answer.slice(0, end)
  const body = answer.slice(end + 4)
  if (/^HTTP\/1\.1 (?:204|304)/u.test(head)) return true
  if (/^transfer-encoding: *chunked/imu.test(head)) return body.endsWith('0\r\n\r\n')
  return (
    body.length >= Number(/^content-length: *(\d+)/imu.exec(head)?.[1] ?? Number.POSITIVE_INFINITY)
  )
}
