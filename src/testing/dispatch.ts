import type { Secret } from '../core/secrets.ts'
import { createSigner } from '../index.ts'
import type { Attempt, Fault, SendOptions } from './attempt.ts'
import type { Message } from './message.ts'
import type { SenderSettings } from './sender-options.ts'
import { orLate } from './timers.ts'
import type { Reply } from './wire.ts'

type Result = Pick<Attempt, 'outcome' | 'status' | 'durationMs'>

/** Signs and sends once. Time that the sender spends waiting for nothing passes on its clock. */
export async function dispatch(
  settings: SenderSettings,
  message: Message,
  options: SendOptions & { readonly secret: Secret | readonly Secret[] },
): Promise<Result> {
  const { scheme, timeline, timeoutMs } = settings
  const { fault, secret, timestamp = timeline.signingTime() } = options
  if (fault === 'refuse') return { outcome: 'refused', durationMs: 0 }
  if (fault === 'lostRequest') {
    // Nobody notices whether it was waited for what never arrives.
    if (timeline.mode !== 'real') await timeline.wait(timeoutMs)
    return { outcome: 'timeout', durationMs: 0 }
  }
  const { id, body } = message
  const signed = await createSigner({ secret, scheme }).sign({ body, id, timestamp })
  const headers = { ...message.headers, ...signed }
  await settings.pace()
  return await transfer(settings, fault, {
    headers: options.headers?.(headers) ?? headers,
    body: options.body?.(body) ?? body,
  })
}

async function transfer(
  { receiver, timeline, timeoutMs, graceMs }: SenderSettings,
  fault: Fault | undefined,
  request: { readonly headers: Message['headers']; readonly body: Uint8Array },
): Promise<Result> {
  const isCutShort = fault === 'hang' && timeline.mode !== 'real'
  const begun = Date.now()
  let abandon = () => {}
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve
  })
  const sending = receiver.send({
    ...request,
    fault: fault === 'cutSocket' ? 'cut' : fault === 'slowBody' ? 'slow' : undefined,
    abandoned,
  })
  const reply = await orLate(sending, isCutShort ? graceMs : timeoutMs, undefined)
  const durationMs = Date.now() - begun
  const status = reply?.kind === 'status' ? { status: reply.status } : {}
  if (reply === undefined) {
    abandon()
    if (isCutShort) await timeline.wait(timeoutMs)
    return { outcome: 'timeout', durationMs }
  }
  if (fault === 'lostResponse') {
    await timeline.wait(timeoutMs)
    return { outcome: 'timeout', ...status, durationMs }
  }
  return { outcome: outcomeOf(reply), ...status, durationMs }
}

function outcomeOf(reply: Reply): Attempt['outcome'] {
  if (reply.kind !== 'status') return reply.kind
  return reply.status >= 200 && reply.status < 300 ? 'delivered' : 'status'
}
