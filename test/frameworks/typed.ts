import { CHECKS, type Check, type Target } from '../adapters/contract.ts'

// For servers that take a request without a Content-Type for one without a body: the same checks,
// with deliveries that have one, as those of every known provider do.

/** The named checks, with `Content-Type: application/json` wherever there was none. */
export function typedChecks(exempt: Readonly<Record<string, string>>): Check[] {
  return CHECKS.filter(({ name }) => name in exempt).map((check) => ({
    ...check,
    name: `${check.name} (typed)`,
    run: (target) => check.run(typed(target)),
  }))
}

function typed({ url, fetch, raw }: Target): Target {
  return {
    url,
    fetch(to, init) {
      const headers = new Headers(init?.headers)
      if (init?.body && !headers.has('content-type')) headers.set('Content-Type', TYPE)
      return fetch(to, { ...init, headers })
    },
    raw: raw && ((to, chunks, abort) => raw(to, withType(chunks), abort)),
  }
}

const TYPE = 'application/json'

function* withType(chunks: Iterable<string | Uint8Array>): Iterable<string | Uint8Array> {
  for (const chunk of chunks) {
    if (typeof chunk !== 'string') yield chunk
    else yield chunk.replace(/^(POST .*\r\n)/u, `$1Content-Type: ${TYPE}\r\n`)
  }
}
