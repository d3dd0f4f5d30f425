import { bytesOf, toHex, toLatin1 } from './bytes.js'

/**
 * Every way this runtime has to run a case, as `[name, () => outcome]`: both faces, each engine, each form of body.
 * `library` is the built package with the engines that work here, `row` what is the scheme's own.
 */
export function waysToRun({ op, input }, library, row) {
  if (op === 'verify') return verifyWays(input, library, row)
  if (op === 'sign') return signWays(input, library, row)
  return macWays(input, library)
}

function verifyWays(input, { hookproof, sync, engines, syncEngines, asyncWorks }, row) {
  const headers = input.headers.map(([name, value]) => [name, toLatin1(bytesOf(value))])
  const body = input.body === null ? null : bytesOf(input.body)
  const options = {
    ...row.options,
    secret: input.secrets.map(bytesOf),
    now: () => Number(input.now),
    toleranceSeconds: input.tolerance ?? undefined,
    maxBodyBytes: input.limits?.maxBodyBytes,
  }
  const settle = (verdict) => verifyOutcome(verdict, row)
  const ways = [
    ['verifySync', () => settle(() => sync.verifySync({ headers, body }, options))],
    ...syncEngines.map((engine) => [
      `createSyncVerifier, ${engine.name}`,
      () => settle(() => sync.createSyncVerifier({ ...options, engine }).verify({ headers, body })),
    ]),
    ...engines.map((engine) => [
      `createVerifier, ${engine.name}`,
      () =>
        settle(() => hookproof.createVerifier({ ...options, engine }).verify({ headers, body })),
    ]),
  ]
  if (!asyncWorks) return ways
  ways.push(['verify', () => settle(() => hookproof.verify({ headers, body }, options))])
  if (body !== null && typeof ReadableStream === 'function') {
    ways.push([
      'verify, stream',
      () => settle(() => hookproof.verify({ headers, body: streamOf(body) }, options)),
    ])
  }
  if (typeof Request === 'function' && headers.every(([, value]) => travels(value))) {
    ways.push([
      'verify, Request',
      () => settle(() => hookproof.verify(requestOf(headers, body), options)),
    ])
  }
  return ways
}

function signWays(input, { hookproof, sync, engines, syncEngines, asyncWorks }, row) {
  const options = { ...row.options, secret: input.secrets.map(bytesOf) }
  const timestamp = input.timestamp && Number(input.timestamp)
  const draft = { body: bytesOf(input.body), timestamp, id: input.id }
  const settle = (sign) => signOutcome(sign, row)
  return [
    ['createSyncSigner', () => settle(() => sync.createSyncSigner(options).sign(draft))],
    ...syncEngines.map((engine) => [
      `createSyncSigner, ${engine.name}`,
      () => settle(() => sync.createSyncSigner({ ...options, engine }).sign(draft)),
    ]),
    ...engines.map((engine) => [
      `createSigner, ${engine.name}`,
      () => settle(() => hookproof.createSigner({ ...options, engine }).sign(draft)),
    ]),
    ...(asyncWorks
      ? [['createSigner', () => settle(() => hookproof.createSigner(options).sign(draft))]]
      : []),
  ]
}

function macWays(input, { engines }) {
  const message = bytesOf(input.message)
  const half = message.length >> 1
  return engines.map((engine) => [
    `engine ${engine.name}`,
    async () => {
      const key = engine.prepare(bytesOf(input.key))
      const mac = await key.mac(message.subarray(0, half), message.subarray(half))
      return { result: 'valid', output: { mac: toHex(mac) } }
    },
  ])
}

async function verifyOutcome(run, row) {
  try {
    const verdict = await run()
    if (!verdict.ok) return { result: 'invalid', reason: verdict.reason }
    return { result: 'valid', output: row.accepted(verdict) }
  } catch (error) {
    return mistake(error)
  }
}

async function signOutcome(run, row) {
  try {
    return { result: 'valid', output: row.signed(await run()) }
  } catch (error) {
    return mistake(error)
  }
}

/** A mistake in the configuration, or in what should be signed; anything else is a bug and stays an exception. */
export function mistake(error) {
  const { name, code, reason } = error
  if (name === 'WebhookConfigError' && code) return { result: 'invalid', reason: code }
  if (name === 'WebhookVerificationError' && reason) return { result: 'invalid', reason }
  throw error
}

/**
 * Whether a web Headers object of every runtime holds the value as it is: they trim, refuse control characters, and
 * differ over empty lines.
 */
function travels(value) {
  return /^[\x21-\x7e](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e])?$/u.test(value)
}

function requestOf(headers, body) {
  return new Request('https://receiver.example/', { method: 'POST', headers, body })
}

/** The bytes in three chunks. */
export function streamOf(body) {
  const third = Math.ceil(body.length / 3)
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < body.length; at += third) {
        controller.enqueue(body.slice(at, at + third))
      }
      controller.close()
    },
  })
}
