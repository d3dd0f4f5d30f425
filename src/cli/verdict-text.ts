import type { Accepted, Rejected, Verdict, Warning } from '../core/verdict.ts'
import { jsonLine, shown } from './output.ts'

const WARNINGS: Readonly<Record<Warning, string>> = {
  delivery_id_mismatch: 'the unsigned id header is not the id in the signed body, go by the body',
}

/** A verdict in one line for people; `now` and the number of secrets say what it was judged by. */
export function verdictLine(
  verdict: Verdict<unknown>,
  { now, secrets }: { readonly now: number; readonly secrets: number },
): string {
  if (!verdict.ok) return refusedLine(verdict)
  const { delivery, timestamp, matched, warnings } = verdict
  // A scheme may name no type or no id.
  const names = [delivery.type, delivery.id ?? ''].filter((name) => name !== '')
  return [
    `accepted: ${names.map(shown).join(' ') || 'a delivery without a name'}${resource(delivery)}`,
    ...(timestamp === undefined ? [] : [age(now - timestamp)]),
    `by secret ${matched.secret + 1} of ${secrets}`,
    `signature ${matched.signature + 1}`,
    ...warnings.map((warning) => `warning ${warning}: ${WARNINGS[warning]}`),
  ].join(', ')
}

function refusedLine({ reason, stage, status, detail }: Rejected): string {
  return `refused: ${reason} (${stage}, ${status}): ${detail}`
}

function resource({ resource }: Accepted<unknown>['delivery']): string {
  return resource === undefined ? '' : ` (${resource.kind} ${shown(resource.id)})`
}

function age(seconds: number): string {
  return `signed ${Math.abs(seconds)} s ${seconds < 0 ? 'after' : 'before'} now`
}

/** A verdict in one line of JSON, without the body's bytes. */
export function verdictJson(verdict: Verdict<unknown>): string {
  if (!verdict.ok) {
    const { ok, reason, stage, status, detail } = verdict
    return jsonLine(JSON.stringify({ ok, reason, stage, status, detail }))
  }
  const { ok, delivery, timestamp, matched, warnings } = verdict
  const rest = JSON.stringify({ delivery, timestamp, matched, warnings }).slice(1)
  return jsonLine(`{"ok":${ok},"event":${eventJson(verdict)},${rest}`)
}

/**
 * The event as it was judged; one nested too deeply for the serialiser as its own text, which the
 * parser could read.
 */
function eventJson({ event, body }: Accepted<unknown>): string {
  try {
    return JSON.stringify(event)
  } catch {
    return Buffer.from(body).toString()
  }
}
