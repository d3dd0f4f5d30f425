// The receiver that the contract is checked against. Plain JavaScript without imports, so that a
// program for any runtime can load it: give `options` and `handler` to that runtime's webhook(),
// and answer `control(url)` before it.

export const SECRET = 'test_only_contract'
export const OLD_SECRET = 'test_only_contract_old'
export const NOW = 1_700_000_000
export const MAX_BODY_BYTES = 4096
/** What nobody but the owner of the receiver may read. */
export const PRIVATE = 'told only to the owner'

/**
 * What a handler may throw, by a name: some of it is an answer to one framework or another, or
 * nothing at all.
 * @type {readonly (readonly [name: string, make: () => unknown])[]}
 */
export const THROWN = [
  ['an Error', () => new Error(PRIVATE)],
  ['an Error of status 200', () => errorWith({ status: 200, headers: { 'X-Told': PRIVATE } })],
  ['an Error of statusCode 204', () => errorWith({ statusCode: 204, statusMessage: PRIVATE })],
  [
    'an Error of status 404 that may be shown',
    () => errorWith({ status: 404, statusCode: 404, expose: true, data: PRIVATE, body: PRIVATE }),
  ],
  ['an Error that may be shown', () => errorWith({ expose: true, data: PRIVATE })],
  ['an Error of code ENOENT', () => errorWith({ code: 'ENOENT' })],
  ['an Error of code NOT_FOUND', () => errorWith({ code: 'NOT_FOUND' })],
  [
    'an Error that is a page not found',
    () => errorWith({ digest: 'NEXT_HTTP_ERROR_FALLBACK;404' }),
  ],
  ['an Error with an answer', () => errorWith({ getResponse: answer, toResponse: answer })],
  [
    'an Error because of one of status 404',
    () => new Error(PRIVATE, { cause: errorWith({ status: 404, statusText: PRIVATE }) }),
  ],
  ['an Error because of a text', () => new Error(PRIVATE, { cause: PRIVATE })],
  ['undefined', () => undefined],
  ['null', () => null],
  ['the text route', () => 'route'],
  ['a text', () => PRIVATE],
  ['the number 200', () => 200],
  [
    'an object of status 200',
    () => ({ status: 200, statusCode: 200, message: PRIVATE, isNotFound: true }),
  ],
  ['a Response', answer],
]

/** @param {object} members */
function errorWith(members) {
  return Object.assign(new Error(PRIVATE), members)
}

function answer() {
  return typeof Response === 'function' ? new Response(PRIVATE, { status: 200 }) : undefined
}

/** A set-up of its own, with a record of what its functions saw. */
export function createReceiver() {
  /** @type {Record<string, unknown>[]} */
  let seen = []
  return {
    options: {
      secret: [
        { id: 'new', secret: SECRET },
        { id: 'old', secret: OLD_SECRET },
      ],
      now: () => NOW,
      maxBodyBytes: MAX_BODY_BYTES,
      /** @param {{ reason: string, stage: string, status: number }} rejected */
      async onRejected({ reason, stage, status }) {
        const entry = { rejected: reason, stage, status, done: false }
        seen.push(entry)
        await later()
        entry.done = true
        if (reason === 'timestamp_too_new') throw errorWith({ status: 200, statusCode: 200 })
      },
    },
    /** @param {{ event: any, delivery: any, matched: any, body: Uint8Array }} accepted */
    async handler({ event, delivery, matched, body }) {
      const entry = {
        accepted: delivery.id,
        type: event.event_type,
        data: event.data,
        secret: matched.secretId,
        bytes: body.length,
        done: false,
      }
      seen.push(entry)
      await later(event.event_type === 'contract.slow' ? 300 : undefined)
      const [, thrown] = /^contract\.throws\.(\d+)$/u.exec(event.event_type) ?? []
      if (thrown !== undefined) throw THROWN[Number(thrown)]?.[1]()
      entry.done = true
    },
    /**
     * For the error path of a framework: what the integrator got wrong, as the owner reads it.
     * @param {unknown} error
     */
    failed(error) {
      const { name, code, message } = Object(error)
      if (name === 'WebhookConfigError') seen.push({ failed: code, message })
    },
    /**
     * The answer to a request for the record, as JSON; `undefined` for every other URL, whole or
     * from the path on.
     * @param {string | undefined} url
     */
    control(url = '') {
      if (url.endsWith('/-/reset')) seen = []
      return /\/-\/(?:reset|seen)$/u.test(url) ? JSON.stringify(seen) : undefined
    },
  }
}

/** A function that answers before this is over has not waited for it. */
function later(milliseconds = 20) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
