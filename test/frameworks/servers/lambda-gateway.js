import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { SOURCES } from './lambda-events.js'

const context = { functionName: 'webhook', awsRequestId: 'id' }
const asJson = (value) => JSON.parse(JSON.stringify(value))

/**
 * Serves functions behind one of the sources of events.
 * @param {string} name
 * @param {(path: string) => (event: object, context: object) => Promise<object>} functionOf
 * @param {(url: string | undefined) => string | undefined} control answers before them
 * @param {(error: unknown) => void} failed
 */
export function serveFunctions(name, functionOf, control, failed) {
  const source = SOURCES[name]

  async function answerOf({ method, url, rawHeaders }, body) {
    const [path, query = ''] = url.split(/\?(.*)/su)
    const lines = []
    for (let i = 0; i < rawHeaders.length; i += 2) lines.push(rawHeaders.slice(i, i + 2))
    const event = asJson(source.event({ method, path, query, lines, body }))
    try {
      const answer = asJson(await functionOf(path)(event, context))
      return { status: answer.statusCode, headers: source.headers(answer), body: answer.body }
    } catch (error) {
      failed(error)
      return { status: source.failed, headers: {}, body: '' }
    }
  }

  const server = createServer(async (request, response) => {
    const record = control(request.url)
    if (record !== undefined) return response.end(record)
    // Undefined when the sender goes away before its body is whole: then no function is called.
    const whole = await buffer(request).catch(() => undefined)
    if (whole === undefined) return
    const { status, headers, body } = await answerOf(request, whole)
    response.writeHead(status, headers).end(body)
  }).listen(0, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}`)
  })
}
