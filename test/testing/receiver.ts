import { createHmac } from 'node:crypto'
import {
  createClock,
  createGate,
  type Gate,
  type KitOptions,
  type TestClock,
} from 'hookproof/testing'

/** A request as it came. */
export interface Raw {
  readonly headers: Headers
  readonly body: Buffer
}

export interface Event {
  readonly event_id: string
  readonly event_type: string
  readonly version: number
  readonly occurred_at: number
  readonly data: { readonly [field: string]: unknown }
}

/** What survives a crash. */
export interface Tables {
  /** By the id of a delivery. */
  readonly deliveries: Map<string, { at: number; isDone: boolean; event: Event }>
  readonly booked: Set<string>
  readonly effects: Map<string, number>
  readonly states: Map<string, { status: string; rank: readonly number[] }>
  readonly started: Map<string, number>
}

/** What a receiver works with at one delivery. */
export interface Work {
  readonly raw: Raw
  readonly event: Event
  readonly resource: string
  readonly key: string
  readonly tables: Tables
  readonly gate: Gate
  readonly clock: TestClock
  readonly memory: Memory
  readonly behaviour: Behaviour
  /** A round trip to a database. */
  readonly pause: () => Promise<void>
}

/** What a crash forgets. */
export interface Memory {
  readonly running: Set<Promise<unknown>>
  readonly locks: Map<string, Promise<unknown>>
  isBroken: boolean
}

/** The parts of a receiver; a faulty one has one of them wrong. */
export interface Behaviour {
  readonly read: (request: Request, memory: Memory) => Promise<Buffer>
  /** A status to refuse with, if the delivery is not genuine. */
  readonly judge: (raw: Raw, now: number) => number | undefined
  /** What a delivery is known by. */
  readonly key: (event: Event, raw: Raw) => string
  /** From the event to the answer. */
  readonly flow: (work: Work) => Promise<number>
  /** What one delivery does to the tables, in one step. */
  readonly book: (work: Work) => void | Promise<void>
}

export const SECRET = 'whsec_test_for_the_self_test'
export const BOOKING = ['invoice.paid', 'invoice.paid_over', 'payment_channel.deposit.confirmed']

export function signatures(raw: Raw): { readonly t: string; readonly v1: readonly string[] } {
  const elements = (raw.headers.get('x-webhook-signature') ?? '')
    .split(',')
    .map((element) => element.trim().split('='))
  const named = (name: string) => elements.filter(([key]) => key === name).map(([, value]) => value)
  return { t: named('t')[0] ?? '', v1: named('v1') as string[] }
}

export function mac(t: string, body: Buffer | string): string {
  return createHmac('sha256', SECRET).update(`${t}.`).update(body).digest('hex')
}

/** A receiver without a fault: a row before the answer, the work behind it, a guard at the booking. */
export const RIGHT: Behaviour = {
  read: async (request) => Buffer.from(await request.arrayBuffer()),
  judge(raw, now) {
    const { t, v1 } = signatures(raw)
    if (!/^\d{1,12}$/u.test(t) || v1.length === 0) return 400
    if (Math.abs(Math.floor(now) - Number(t)) > 300) return 401
    return v1.includes(mac(t, raw.body)) ? undefined : 401
  },
  key: (event) => event.event_id,
  async flow(work) {
    const { key, event, tables, clock, pause } = work
    await pause()
    if (tables.deliveries.has(key)) return 200
    tables.deliveries.set(key, { at: clock.now(), isDone: false, event })
    await pause()
    startWork(work)
    return 202
  },
  book(work) {
    advance(work)
    bookOnce(work)
  },
}

/** Another one: the work and the row are one transaction before the answer. */
export const RIGHT_INLINE: Behaviour = {
  ...RIGHT,
  async flow(work) {
    const { key, tables, memory } = work
    // A second transaction waits for the row that the first one has not committed.
    for (;;) {
      const lock = memory.locks.get(key)
      if (lock === undefined) break
      await lock.catch(() => {})
    }
    if (tables.deliveries.has(key)) return 200
    const transaction = commit(work)
    memory.locks.set(key, transaction)
    try {
      await transaction
      return 200
    } finally {
      memory.locks.delete(key)
    }
  },
}

/** The work, and the row that says it is done. */
export async function commit(work: Work): Promise<void> {
  const { key, event, resource, tables, gate, clock, pause, behaviour } = work
  addOne(tables.started, resource)
  await gate.pass()
  await pause()
  await behaviour.book(work)
  tables.deliveries.set(key, { at: clock.now(), isDone: true, event })
}

export function startWork(work: Work): void {
  const run = commit(work)
    .catch(() => {})
    .finally(() => work.memory.running.delete(run))
  work.memory.running.add(run)
}

export function advance({ event, resource, tables }: Work): void {
  const { is_final, status } = event.data as { is_final: boolean; status: string }
  const rank = [Number(is_final), event.occurred_at]
  const stored = tables.states.get(resource)
  if (stored === undefined || isAbove(rank, stored.rank)) {
    tables.states.set(resource, { status, rank })
  }
}

function isAbove(a: readonly number[], b: readonly number[]): boolean {
  const index = a.findIndex((value, at) => value !== b[at])
  return index >= 0 && (a[index] as number) > (b[index] as number)
}

export function bookOnce(work: Work): void {
  if (!BOOKING.includes(work.event.event_type) || work.tables.booked.has(work.resource)) return
  work.tables.booked.add(work.resource)
  addEffect(work)
}

export function addEffect({
  tables: { effects },
  resource,
}: Pick<Work, 'tables' | 'resource'>): void {
  addOne(effects, resource)
}

function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** A receiver in this process, with all that a kit can take hold of. */
export function openReceiver(behaviour: Behaviour, random: () => number): KitOptions {
  const [gate, clock] = [createGate(), createClock()]
  const tables: Tables = {
    deliveries: new Map(),
    booked: new Set(),
    effects: new Map(),
    states: new Map(),
    started: new Map(),
  }
  const newMemory = (): Memory => ({ running: new Set(), locks: new Map(), isBroken: false })
  let memory = newMemory()
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, random() * 2))
  const workOn = (event: Event, raw: Raw): Work => {
    const { invoice_id, id } = event.data
    const resource = String(invoice_id ?? id)
    const key = behaviour.key(event, raw)
    return { raw, event, resource, key, tables, gate, clock, memory, behaviour, pause }
  }
  const nothing: Raw = { headers: new Headers(), body: Buffer.alloc(0) }
  return {
    secret: SECRET,
    // Work that comes to the gate does so at once.
    settleMs: 1_000,
    clock,
    gate,
    also: ['deposits'],
    async target(request) {
      const raw = { headers: request.headers, body: await behaviour.read(request, memory) }
      const refused = behaviour.judge(raw, clock.seconds())
      if (refused !== undefined) return { status: refused }
      return { status: await behaviour.flow(workOn(JSON.parse(String(raw.body)), raw)) }
    },
    observe: (id) => ({
      effects: tables.effects.get(id) ?? 0,
      state: tables.states.get(id)?.status,
    }),
    started: (id) => tables.started.get(id) ?? 0,
    reconcile: (paid) => ({
      missing: paid.filter((id) => !tables.effects.has(id)),
      double: paid.filter((id) => (tables.effects.get(id) ?? 0) > 1),
    }),
    bookByHand(id) {
      tables.booked.add(id)
      addEffect({ tables, resource: id })
    },
    /** The worker: what is not done is begun again. */
    async settle() {
      await Promise.all(memory.running)
      for (const { isDone, event } of tables.deliveries.values()) {
        if (!isDone) startWork(workOn(event, nothing))
      }
      await Promise.all(memory.running)
    },
    restart() {
      memory = newMemory()
    },
  }
}
