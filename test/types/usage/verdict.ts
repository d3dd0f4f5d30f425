import type { Accepted, PaymosEvent, Reason, RefusalStatus, Stage, Verdict } from 'hookproof'
import {
  createVerifier,
  REASONS,
  verify,
  verifyOrThrow,
  WebhookConfigError,
  WebhookVerificationError,
} from 'hookproof'
import { constructEvent, verifySync } from 'hookproof/sync'

const request = { headers: {}, body: '' }
const options = { secret: 'whsec_1' }
declare function book(event: PaymosEvent): void
declare function judge(verdict: Verdict<PaymosEvent>): void

export async function theRefusalIsReadableBeforeNarrowing(): Promise<number> {
  const verdict = await verify(request, options)
  check<Equal<typeof verdict, Verdict<PaymosEvent>>>()
  check<Equal<(typeof verdict)['reason'], Reason | undefined>>()
  check<Equal<(typeof verdict)['stage'], Stage | undefined>>()
  check<Equal<(typeof verdict)['status'], RefusalStatus | undefined>>()
  check<Equal<(typeof verdict)['detail'], string | undefined>>()
  const { ok, reason, status } = verdict
  return ok ? 204 : status + reason.length
}

export async function theEventIsNot(): Promise<void> {
  const verdict = await verify(request, options)
  // @ts-expect-error TS2339: not before `ok` was checked
  book(verdict.event)
  // @ts-expect-error TS2339: nor by destructuring
  const { event } = verdict
  // @ts-expect-error TS2339: nor the delivery
  const id = verdict.delivery.id
  // @ts-expect-error TS2339: nor the bytes
  const { body } = await verify(request, options)
  if (!verdict.ok) {
    // @ts-expect-error TS2339: a refusal never has one
    book(verdict.event)
    return
  }
  check<Equal<typeof verdict, Accepted<PaymosEvent>>>()
  check<Equal<typeof verdict.event, PaymosEvent>>()
  book(verdict.event)
  book(event ?? id ?? body)
}

export async function aForgottenAwaitIsRefused(): Promise<void> {
  // @ts-expect-error TS2339: a promise has no `ok`
  if (!verify(request, options).ok) return
  // @ts-expect-error TS2339: nor by destructuring
  const { ok } = verify(request, options)
  // @ts-expect-error TS2339: nor an event
  book(verifyOrThrow(request, options).event)
  // @ts-expect-error TS2339: nor by destructuring
  const { event } = verifyOrThrow(request, options)
  // @ts-expect-error TS2345: a promise is no verdict
  judge(verify(request, options))
  // @ts-expect-error TS2339: the same of a verifier
  const { status } = createVerifier(options).verify(request)
  book(ok ?? event ?? status)
}

export async function throwingVerbs(): Promise<void> {
  const accepted = await verifyOrThrow(request, options)
  check<Equal<typeof accepted, Accepted<PaymosEvent>>>()
  const event = constructEvent(request, options)
  check<Equal<typeof event, PaymosEvent>>()
  const verdict = verifySync(request, options)
  check<Equal<typeof verdict, Verdict<PaymosEvent>>>()
  const { verify: bound } = createVerifier(options)
  judge(await bound(request))
}

export function errors(error: unknown): string {
  if (error instanceof WebhookVerificationError) {
    check<Equal<typeof error, WebhookVerificationError>>()
    check<Equal<typeof error.reason, Reason>>()
    check<Equal<typeof error.status, RefusalStatus>>()
    return REASONS[error.reason].meaning
  }
  if (error instanceof WebhookConfigError) {
    return error.code === 'secret_missing' ? error.message : error.name
  }
  return ''
}

export function reasons(reason: Reason): string {
  // @ts-expect-error TS2367: no such reason
  if (reason === 'signature_wrong') return ''
  check<Equal<(typeof REASONS)[Reason]['status'], RefusalStatus>>()
  check<Equal<RefusalStatus, 400 | 401 | 413 | 422>>()
  // @ts-expect-error TS2540: the table is a constant
  REASONS[reason] = REASONS.body_not_json
  return REASONS[reason].meaning
}
