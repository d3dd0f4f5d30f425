import {
  createInbox,
  type Inbox,
  type InboxSignal,
  type InboxStore,
  type MemoryTransaction,
  memoryStore,
} from '../../dist/inbox/index.js'
import {
  type Accepted,
  createSigner,
  type PaymosEvent,
  type Scheme,
  verify,
} from '../../dist/index.js'

export const SECRET = 'test_only_inbox'
export const NOW = 1_700_000_000
export const LEASE_MS = 30_000

interface EventParts {
  readonly id?: string
  readonly type?: string
  readonly occurredAt?: number
  readonly data?: object
}

export function eventText({
  id = 'evt_1',
  type = 'invoice.paid',
  occurredAt = NOW,
  data = { invoice_id: 'inv_1' },
}: EventParts = {}): string {
  return JSON.stringify({
    event_id: id,
    event_type: type,
    version: 1,
    occurred_at: occurredAt,
    data,
  })
}

/** A delivery that was signed and verified. */
export function accepted(parts: EventParts = {}): Promise<Accepted<PaymosEvent>> {
  return acceptedText(eventText(parts))
}

export async function acceptedText<W = PaymosEvent>(
  body: string,
  more: { readonly scheme?: Scheme<W>; readonly id?: string; readonly headers?: object } = {},
): Promise<Accepted<W>> {
  const { scheme, id } = more
  const settings = { secret: SECRET, now: () => NOW, ...(scheme && { scheme }) }
  const headers = await createSigner(settings).sign({ body, ...(id !== undefined && { id }) })
  const verdict = await verify(
    { headers: { ...headers, ...more.headers }, body },
    settings as never,
  )
  if (!verdict.ok) throw new Error(verdict.detail)
  return verdict as unknown as Accepted<W>
}

/** A store in memory whose time is moved by hand, as a database that outlives its processes. */
export function createDatabase() {
  const time = { now: NOW * 1000 }
  const clock = () => time.now
  return { time, clock, store: memoryStore({ clock }) }
}

export type Database = ReturnType<typeof createDatabase>

/** A process with an inbox on that database, and what it told. */
export function createProcess(
  {
    clock,
    store,
  }: { readonly clock: () => number; readonly store: InboxStore<MemoryTransaction, 'async'> },
  options: object,
): { readonly inbox: Inbox; readonly signals: InboxSignal[] } {
  const signals: InboxSignal[] = []
  const onSignal = (signal: InboxSignal) => signals.push(signal)
  const given = { store, clock, backoff: () => 0, onSignal, handlers: {}, ...options }
  return { inbox: createInbox(given as never), signals }
}

/** What `process` signals said, in order. */
export function outcomes(signals: readonly InboxSignal[]): string[] {
  return signals.flatMap((signal) => (signal.kind === 'process' ? [signal.outcome] : []))
}

/** A promise that a test settles when it wants to. */
export function gate<T = void>() {
  let open: (value: T) => void = () => {}
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Lets all that is ready run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
