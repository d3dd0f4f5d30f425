// What AWS hands to a function for an HTTP request, and what it makes of the answer, each as
// documented: API Gateway's REST and HTTP APIs, function URLs and Application Load Balancers. There
// is no server of AWS to install, so these stand between a socket and the handler.

/**
 * A request as it came over the socket.
 * @typedef {{ method: string, path: string, query: string, lines: readonly (readonly [name: string, value: string])[], body: Buffer }} Arrived
 */

/** Bodies of these types are passed as text, unless they are encoded; all others as base64. */
const TEXT = /^(?:text\/|application\/(?:json|javascript|xml)(?:;|$))/iu

function byType({ lines, body }) {
  const type = lastOf(lines, 'content-type') ?? ''
  const isBase64Encoded = lastOf(lines, 'content-encoding') !== undefined || !TEXT.test(type)
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded }
}

function lastOf(lines, wanted) {
  return lines.findLast(([name]) => name.toLowerCase() === wanted)?.[1]
}

const lower = (lines) => lines.map(([name, value]) => [name.toLowerCase(), value])
const last = (pairs) => Object.fromEntries(pairs)
const all = (pairs) => {
  const lists = Object.create(null)
  for (const [name, value] of pairs) lists[name] = [...(lists[name] ?? []), value]
  return { ...lists }
}
const joined = (pairs) =>
  Object.fromEntries(Object.entries(all(pairs)).map(([name, values]) => [name, values.join(',')]))
const orNull = (record) => (Object.keys(record).length === 0 ? null : record)
/** Of a load balancer, as they came. */
const undecoded = (query) =>
  query === '' ? [] : query.split('&').map((pair) => pair.split(/=(.*)/su).slice(0, 2))

/**
 * API Gateway, REST API with a Lambda proxy integration. Text, unless `binaryMediaTypes` says
 * otherwise: bytes that are no UTF-8 are lost then.
 */
const rest =
  (isBase64Encoded) =>
  ({ method, path, query, lines, body }) => {
    const pairs = [...new URLSearchParams(query)]
    // Names keep the case in which they were sent; the length is the platform's own affair.
    const headers = lines.filter(([name]) => name.toLowerCase() !== 'content-length')
    return {
      resource: '/{proxy+}',
      path,
      httpMethod: method,
      headers: last(headers),
      multiValueHeaders: all(headers),
      queryStringParameters: orNull(last(pairs)),
      multiValueQueryStringParameters: orNull(all(pairs)),
      pathParameters: { proxy: path.slice(1) },
      stageVariables: null,
      requestContext: {
        accountId: '123456789012',
        apiId: 'api-id',
        httpMethod: method,
        identity: { sourceIp: '192.0.2.1', userAgent: null },
        path: `/prod${path}`,
        protocol: 'HTTP/1.1',
        requestId: 'request-id',
        resourceId: 'resource',
        resourcePath: '/{proxy+}',
        stage: 'prod',
      },
      body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
      isBase64Encoded: isBase64Encoded && body.length > 0,
    }
  }

/** Version 2.0 of the payload: API Gateway, HTTP API; function URL. */
function version2(arrived) {
  const { method, path, query, lines } = arrived
  const { body, isBase64Encoded } = byType(arrived)
  const pairs = [...new URLSearchParams(query)]
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: joined(lower(lines).filter(([name]) => name !== 'cookie')),
    ...(pairs.length > 0 && { queryStringParameters: joined(pairs) }),
    requestContext: {
      accountId: '123456789012',
      apiId: 'api-id',
      domainName: 'id.execute-api.us-east-1.amazonaws.com',
      domainPrefix: 'id',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'agent' },
      requestId: 'id',
      routeKey: '$default',
      stage: '$default',
      time: '12/Mar/2020:19:03:58 +0000',
      timeEpoch: 1583348638390,
    },
    ...(body !== '' && { body }),
    isBase64Encoded: isBase64Encoded && body !== '',
  }
}

/** An Application Load Balancer; of a repeated header it passes the last alone, unless set up. */
const balancer = (isMulti) => (arrived) => {
  const { method, path, query, lines } = arrived
  return {
    requestContext: {
      elb: {
        targetGroupArn:
          'arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-target-group/6d0ecf831eec9f09',
      },
    },
    httpMethod: method,
    path,
    ...(isMulti
      ? {
          multiValueQueryStringParameters: all(undecoded(query)),
          multiValueHeaders: all(lower(lines)),
        }
      : { queryStringParameters: last(undecoded(query)), headers: last(lower(lines)) }),
    ...byType(arrived),
  }
}

/** @param {object} answer @param {readonly string[]} known */
function only(answer, known) {
  const unknown = Object.keys(answer).filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`malformed answer: ${unknown}`)
}

const proxyAnswer = (answer) => {
  only(answer, ['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'])
  return { ...last(Object.entries(answer.headers ?? {})), ...answer.multiValueHeaders }
}

const balancerAnswer = (isMulti) => (answer) => {
  const { statusCode, statusDescription, headers, multiValueHeaders, isBase64Encoded } = answer
  if (!String(statusDescription).startsWith(`${statusCode} `)) throw new Error('no description')
  if (isBase64Encoded !== false) throw new Error('no word on base64')
  return (isMulti ? multiValueHeaders : headers) ?? {}
}

/** By source: its event, the headers of an answer, and the status for an invocation that failed. */
export const SOURCES = {
  rest: { event: rest(false), headers: proxyAnswer, failed: 502 },
  'rest-binary': { event: rest(true), headers: proxyAnswer, failed: 502 },
  http: { event: version2, headers: proxyAnswer, failed: 500 },
  url: { event: version2, headers: proxyAnswer, failed: 502 },
  balancer: { event: balancer(false), headers: balancerAnswer(false), failed: 502 },
  'balancer-multi': { event: balancer(true), headers: balancerAnswer(true), failed: 502 },
}
