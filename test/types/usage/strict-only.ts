// Uses and refusals that only `strict` can see.
import type { Accepted, PaymosEvent, PaymosEventType, Rejected } from 'hookproof'
import { verify, verifyOrThrow, WebhookVerificationError } from 'hookproof'

const request = { headers: {}, body: '' }
const options = { secret: 'whsec_1' }
const env = some<{ readonly [name: string]: string | undefined }>()

export async function secretsThatMayBeAbsent(): Promise<void> {
  await verify(request, { secret: env.WEBHOOK_SECRET ?? '' })
  // @ts-expect-error TS2322: a variable of the environment may be missing
  await verify(request, { secret: env.WEBHOOK_SECRET })
  // @ts-expect-error TS2322: null is no secret
  await verify(request, { secret: null })
  // @ts-expect-error TS2322: a list that may hold nothing
  await verify(request, { secret: [env.NEW, env.OLD] })
}

export async function aBodyThatMayBeAbsent(): Promise<void> {
  await verify({ headers: {}, body: some<string | null>() }, options)
  // @ts-expect-error TS2322: what is not there was not received
  await verify({ headers: {}, body: some<string | undefined>() }, options)
}

export async function bothSidesOfAVerdict(): Promise<string> {
  const verdict = await verify(request, options)
  if (!verdict.ok) {
    check<Equal<typeof verdict, Rejected>>()
    return verdict.detail
  }
  check<Equal<typeof verdict, Accepted<PaymosEvent>>>()
  return verdict.matched.secretId ?? `${verdict.timestamp ?? 0}`
}

export async function narrowingByTheReason(): Promise<string> {
  const verdict = await verify(request, options)
  if (verdict.reason !== undefined) return verdict.detail
  return verdict.event.event_id
}

export async function forgottenAwaitInACondition(): Promise<void> {
  // @ts-expect-error TS2801: a promise is always true
  if (verify(request, options)) return
  const verdict = verify(request, options)
  // @ts-expect-error TS2801: the same of a variable
  if (verdict) return
  // @ts-expect-error TS2801: the same of the throwing verb
  if (verifyOrThrow(request, options)) return
}

export function aCaughtErrorIsUnknown(error: unknown): string {
  if (error instanceof WebhookVerificationError) return error.reason
  // @ts-expect-error TS18046: anything else has no reason
  return error.reason
}

export function aTableOfTheKnownTypes(event: PaymosEvent): string | undefined {
  const labels = some<Readonly<Record<PaymosEventType, string>>>()
  // @ts-expect-error TS7053: a delivery may carry a seventeenth type
  return labels[event.event_type]
}
