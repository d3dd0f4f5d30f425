import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { webhook } from 'hookproof/lambda'
import { createReceiver } from '../../adapters/receiver.js'
import { SOURCES } from './lambda-events.js'

// node lambda.js <source>: the handler behind one of the sources of events.
const source = SOURCES[process.argv[2]]
const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)
const functions = {
  '/large': webhook({ ...options, maxBodyBytes: undefined }, handler),
  // As middleware for JSON does.
  '/parsed': (event, context) => receive({ ...event, body: JSON.parse(event.body) }, context),
}

const context = { functionName: 'webhook', awsRequestId: 'id' }
const asJson = (value) => JSON.parse(JSON.stringify(value))

async function answerOf(request) {
  const [path, query = ''] = request.url.split(/\?(.*)/su)
  const lines = Array.from({ length: request.rawHeaders.length / 2 }, (_, i) =>
    request.rawHeaders.slice(2 * i, 2 * i + 2),
  )
  const body = await buffer(request)
  const event = source.event({ method: request.method, path, query, lines, body })
  try {
    const answer = asJson(await (functions[path] ?? receive)(asJson(event), context))
    return { status: answer.statusCode, headers: source.headers(answer), body: answer.body }
  } catch (error) {
    failed(error)
    return { status: source.failed, headers: {}, body: '' }
  }
}

const server = createServer(async (request, response) => {
  const record = control(request.url)
  if (record !== undefined) return response.end(record)
  try {
    const { status, headers, body } = await answerOf(request)
    response.writeHead(status, headers).end(body)
  } catch {
    // The sender went away before its body was whole.
  }
}).listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
