import { createServer, request as forward } from 'node:http'
import Module from 'node:module'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

// What stands between a socket and @azure/functions: the host of Azure Functions cannot be
// installed, so this makes the calls of its Node worker. All from the invocation on is the library.

const functions = new Map()
let model

const core = {
  log() {},
  setProgrammingModel(given) {
    model = given
  },
  registerFunction(metadata, callback) {
    const trigger = Object.values(metadata.bindings).find(({ type }) => type === 'httpTrigger')
    functions.set(trigger.route ?? metadata.name, { metadata, trigger, callback })
  },
}

/** As the worker does: the library asks for a module that is on no disk. */
const { require } = Module.prototype
Module.prototype.require = function (id) {
  return id === '@azure/functions-core' ? core : require.call(this, id)
}

let invocations = 0

/**
 * Serves the functions that were registered, and gives the address.
 * @param {(url: string | undefined) => string | undefined} control answers before them
 * @param {(error: unknown) => void} failed
 */
export async function host(control, failed) {
  const { HttpUri: proxy } = await model.getCapabilities({})
  const server = createServer(async (request, response) => {
    const record = control(request.url)
    if (record !== undefined) return response.end(record)
    const invocationId = `invocation-${invocations++}`
    const called = functionOf(request)
    if (called === undefined) return response.writeHead(404).end()
    const serve = proxy === undefined ? serveWhole : serveStream
    await serve({ request, response, called, invocationId, proxy }).catch((error) => {
      failed(error)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}`)
  })
}

/** The request in one message, and so is the answer. */
async function serveWhole({ request, response, called, invocationId }) {
  const { method } = request
  const body = { bytes: await buffer(request) }
  const data = { http: { method, url: addressOf(request), headers: headersOf(request), body } }
  const { returnValue } = await invoke(called, { invocationId, data })
  const { statusCode, headers, body: answer } = returnValue.http
  response.writeHead(Number(statusCode), headers).end(Buffer.from(answer?.bytes ?? ''))
}

/** `enableHttpStream`: both bodies pass through a server of the library. */
async function serveStream({ request, response, called, invocationId, proxy }) {
  const { method, url } = request
  const { host: forwarded } = request.headers
  const headers = {
    ...request.headers,
    'x-ms-invocation-id': invocationId,
    'x-forwarded-host': forwarded,
    'x-forwarded-proto': 'http',
  }
  const sent = forward(new URL(url, proxy), { method, headers })
  sent.flushHeaders()
  pipeline(request, sent).catch(() => {})
  const answered = new Promise((resolve, reject) => {
    sent.once('response', resolve).once('error', reject)
  })
  const triggerMetadata = { Headers: { json: JSON.stringify(headersOf(request)) } }
  try {
    const invoked = invoke(called, { invocationId, triggerMetadata, data: { string: '' } })
    const [answer] = await Promise.all([answered, invoked])
    response.writeHead(answer.statusCode, answer.headers)
    await pipeline(answer, response)
  } finally {
    sent.destroy()
  }
}

async function invoke({ metadata, trigger, callback }, { invocationId, data, triggerMetadata }) {
  const request = { inputData: [{ name: trigger.name, data }], triggerMetadata }
  const invocation = model.getInvocationModel({ invocationId, metadata, request, log() {} })
  const { context, inputs } = await invocation.getArguments()
  const result = await invocation.invokeFunction(context, inputs, callback)
  return invocation.getResponse(context, result)
}

/** The function of a request's path and method; below /api/ unless its route is a whole path. */
function functionOf({ method, url }) {
  const route = new URL(url, 'http://localhost').pathname.replace(/^\/(?:api\/)?/u, '')
  const called = functions.get(route) ?? functions.get('{*path}')
  return called?.trigger.methods.includes(method) ? called : undefined
}

function addressOf(request) {
  return `http://${request.headers.host}${request.url}`
}

/** Repeated lines are joined. */
function headersOf({ rawHeaders }) {
  const headers = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i].toLowerCase()
    headers[name] = name in headers ? `${headers[name]},${rawHeaders[i + 1]}` : rawHeaders[i + 1]
  }
  return headers
}
