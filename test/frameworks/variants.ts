import { CHECKS, type Check, type Target } from '../adapters/contract.ts'

// The same checks, where a framework's own server does something to every request or answer: a
// check that is exempt as it stands is made with that allowed for.

/** The exempt checks, of a target that is not as the framework made it. */
export function variants(
  exempt: Readonly<Record<string, string>>,
  name: string,
  adapt: (target: Target) => Target,
): Check[] {
  return CHECKS.filter((check) => check.name in exempt).map((check) => ({
    ...check,
    name: `${check.name} (${name})`,
    run: (target) => check.run(adapt(target)),
  }))
}

const TYPE = 'application/json'

/** Deliveries have a Content-Type, as those of all known providers do. */
export function typed({ url, fetch, raw }: Target): Target {
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

function* withType(chunks: Iterable<string | Uint8Array>): Iterable<string | Uint8Array> {
  for (const chunk of chunks) {
    if (typeof chunk !== 'string') yield chunk
    else yield chunk.replace(/^(POST .*\r\n)/u, `$1Content-Type: ${TYPE}\r\n`)
  }
}

/** JSON in answers has no charset. */
export function withoutCharset(target: Target): Target {
  return {
    ...target,
    async fetch(to, init) {
      const { status, headers, body } = await target.fetch(to, init)
      const type = headers.get('content-type')
      if (type === `${TYPE}; charset=utf-8`) {
        return new Response(body, { status, headers: { 'Content-Type': TYPE } })
      }
      return new Response(body, { status, headers })
    },
  }
}
