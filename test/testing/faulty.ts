import type { KitOptions } from 'hookproof/testing'
import {
  addEffect,
  advance,
  type Behaviour,
  BOOKING,
  bookOnce,
  commit,
  mac,
  RIGHT,
  RIGHT_INLINE,
  signatures,
  startWork,
  type Work,
} from './receiver.ts'

/** A receiver with one fault, as it is found in the field, and the scenario that must catch it. */
export interface FaultyReceiver {
  readonly name: string
  readonly caughtBy: string
  /** What the report must say it comes from. */
  readonly cause: string
  readonly behaviour: Partial<Behaviour>
  /** What is wrong around the receiver. */
  readonly around?: Pick<KitOptions, 'reconcile'>
}

const HOUR = 3_600_000

/** Books whatever books, without a guard. */
function bookAlways(work: Work): void {
  advance(work)
  if (BOOKING.includes(work.event.event_type)) addEffect(work)
}

export const FAULTY: readonly FaultyReceiver[] = [
  {
    name: 'answers, and does nothing',
    caughtBy: 'P1',
    cause: 'answered 2xx, and nothing was booked',
    behaviour: { flow: async () => 200 },
  },
  {
    name: 'books twice at the first delivery',
    caughtBy: 'P1',
    cause: 'one delivery books more than once',
    behaviour: {
      book(work) {
        bookAlways(work)
        bookAlways(work)
      },
    },
  },
  {
    name: 'redirects to the path with a slash',
    caughtBy: 'P1',
    cause: 'the route redirects',
    behaviour: { flow: async () => 308 },
  },
  {
    name: 'remembers nothing',
    caughtBy: 'P2',
    cause: 'nothing remembers its event id',
    behaviour: {
      async flow(work) {
        await commit(work)
        return 200
      },
      book: bookAlways,
    },
  },
  {
    name: 'remembers nothing, and leaves all to the guard at the booking',
    caughtBy: 'P2',
    cause: 'only the guard at the booking stopped it',
    behaviour: {
      async flow(work) {
        await commit(work)
        return 200
      },
    },
  },
  {
    name: 'gives each delivery an id of its own',
    caughtBy: 'P2',
    cause: 'nothing remembers its event id',
    behaviour: { key: () => crypto.randomUUID(), book: bookAlways },
  },
  {
    name: 'answers 409 to a repeat',
    caughtBy: 'P2',
    cause: 'a repeat is not answered with 2xx',
    behaviour: {
      async flow(work) {
        return work.tables.deliveries.has(work.key) ? 409 : RIGHT.flow(work)
      },
    },
  },
  {
    name: 'forgets ids after an hour',
    caughtBy: 'P2',
    cause: 'the id is forgotten before the sender is done',
    behaviour: {
      async flow(work) {
        const { tables, key, clock } = work
        const known = tables.deliveries.get(key)
        if (known !== undefined && clock.now() - known.at > HOUR) tables.deliveries.delete(key)
        return RIGHT.flow(work)
      },
      book: bookAlways,
    },
  },
  {
    name: 'writes a note into the order at each repeat',
    caughtBy: 'P2',
    cause: 'a repeat changes what is stored',
    behaviour: {
      async flow(work) {
        const { tables, key, resource } = work
        const state = tables.states.get(resource)
        if (tables.deliveries.has(key) && state) {
          tables.states.set(resource, { ...state, status: `${state.status}, seen again` })
        }
        return RIGHT.flow(work)
      },
    },
  },
  {
    name: 'looks the id up, then stores it',
    caughtBy: 'P3',
    cause: 'stores it in two steps',
    behaviour: {
      async flow(work) {
        const { tables, key, clock, event, pause } = work
        const isKnown = tables.deliveries.has(key)
        await pause()
        if (isKnown) return 200
        tables.deliveries.set(key, { at: clock.now(), isDone: false, event })
        startWork(work)
        return 202
      },
      book: bookAlways,
    },
  },
  {
    name: 'stores the id once the work is over',
    caughtBy: 'P3',
    cause: 'works, and stores the id only afterwards',
    behaviour: {
      async flow(work) {
        if (work.tables.deliveries.has(work.key)) return 200
        await commit(work)
        return 200
      },
      book: bookAlways,
    },
  },
  {
    name: 'does not see what support has booked by hand',
    caughtBy: 'P4',
    cause: 'the guard does not see what is booked by hand',
    behaviour: {
      book(work) {
        const { tables, event } = work
        advance(work)
        if (!BOOKING.includes(event.event_type)) return
        const key = `by webhook ${work.resource}`
        if (tables.booked.has(key)) return
        tables.booked.add(key)
        addEffect(work)
      },
    },
  },
  {
    name: 'fails at a booking that is there already',
    caughtBy: 'P4',
    cause: 'another delivery about it ends in an error',
    behaviour: {
      flow: RIGHT_INLINE.flow,
      book(work) {
        const isBooking = BOOKING.includes(work.event.event_type)
        if (isBooking && work.tables.booked.has(work.resource)) throw new Error('unique')
        RIGHT.book(work)
      },
    },
  },
  {
    name: 'keys the booking by the event id',
    caughtBy: 'two-endpoints',
    cause: 'nothing stops a second booking of the same resource',
    behaviour: {
      book(work) {
        const { tables, key, event, resource } = work
        advance(work)
        // What support booked is found, what another delivery booked is not.
        const isBooked = tables.booked.has(key) || tables.booked.has(resource)
        if (isBooked || !BOOKING.includes(event.event_type)) return
        tables.booked.add(key)
        addEffect(work)
      },
    },
  },
  {
    name: 'reads the guard, then writes it',
    caughtBy: 'two-endpoints-together',
    cause: 'it reads and writes in two steps',
    behaviour: {
      async book(work) {
        const { tables, resource, pause, event } = work
        const isBooked = tables.booked.has(resource)
        await pause()
        advance(work)
        if (isBooked || !BOOKING.includes(event.event_type)) return
        tables.booked.add(resource)
        addEffect(work)
      },
    },
  },
  {
    name: 'dedupes by the resource id',
    caughtBy: 'before-booking',
    cause: 'a second event about one resource is taken for a repeat',
    behaviour: { key: ({ data }) => String(data.invoice_id ?? data.id) },
  },
  {
    name: 'compares the table with itself, and so misses what never came',
    caughtBy: 'P5',
    cause: 'the comparison does not find',
    behaviour: {},
    around: { reconcile: () => ({ missing: [], double: [] }) },
  },
  {
    name: 'takes two payments of one type in one second for one',
    caughtBy: 'P5',
    cause: 'by a key such as type and time',
    behaviour: { key: ({ event_type, occurred_at }) => `${event_type} ${occurred_at}` },
  },
  {
    name: 'books at the first event of an invoice',
    caughtBy: 'before-booking',
    cause: 'an event that is not final books',
    behaviour: {
      book(work) {
        advance(work)
        if (!work.tables.booked.has(work.resource)) addEffect(work)
        work.tables.booked.add(work.resource)
      },
    },
  },
  {
    name: 'takes the last that arrives for the newest',
    caughtBy: 'after-booking',
    cause: 'an older event that comes late overwrites',
    behaviour: {
      book(work) {
        const { tables, resource, event } = work
        tables.states.set(resource, { status: String(event.data.status), rank: [] })
        bookOnce(work)
      },
    },
  },
  {
    name: 'orders events by their time alone',
    caughtBy: 'any-order',
    cause: 'compared by their time alone',
    behaviour: {
      book(work) {
        const { tables, resource, event } = work
        const stored = tables.states.get(resource)
        if (stored === undefined || event.occurred_at >= (stored.rank[0] as number)) {
          const status = String(event.data.status)
          tables.states.set(resource, { status, rank: [event.occurred_at] })
        }
        bookOnce(work)
      },
    },
  },
  {
    name: 'ignores an event that is not newer than what it knows',
    caughtBy: 'any-order',
    cause: 'it is taken for old news',
    behaviour: {
      book(work) {
        const [at] = work.tables.states.get(work.resource)?.rank.slice(1) ?? []
        if (at === undefined || work.event.occurred_at > at) RIGHT.book(work)
      },
    },
  },
  {
    name: 'credits a deposit at its first event',
    caughtBy: 'deposits',
    cause: 'an event that is not final books',
    behaviour: {
      book(work) {
        const isDeposit = work.event.event_type.startsWith('payment_channel.')
        advance(work)
        if (!isDeposit) return bookOnce(work)
        if (!work.tables.booked.has(work.resource)) addEffect(work)
        work.tables.booked.add(work.resource)
      },
    },
  },
  {
    name: 'stores the id for seven days before the work, and keeps it when the work throws',
    caughtBy: 'work-fails-once',
    cause: 'the id is stored before the work is done, and stays',
    behaviour: {
      async flow(work) {
        const { tables, key, clock, event } = work
        if (tables.deliveries.has(key)) return 200
        tables.deliveries.set(key, { at: clock.now(), isDone: true, event })
        await commit(work)
        return 200
      },
    },
  },
  {
    name: 'swallows errors of the work',
    caughtBy: 'work-fails-once',
    cause: 'the work failed before the answer, and the answer was 2xx',
    behaviour: {
      async flow(work) {
        await RIGHT_INLINE.flow(work).catch(() => {})
        return 200
      },
    },
  },
  {
    name: 'answers before anything is stored',
    caughtBy: 'work-fails-once',
    cause: 'it answers 2xx before the work is done',
    behaviour: {
      async flow(work) {
        if (work.tables.deliveries.has(work.key)) return 200
        startWork(work)
        return 200
      },
    },
  },
  {
    name: 'reserves the id for 300 seconds while it works, and calls a retry a duplicate meanwhile',
    caughtBy: 'crash',
    cause: 'the retry was answered 200 as a repeat',
    behaviour: {
      async flow(work) {
        const { tables, key, clock, event } = work
        const known = tables.deliveries.get(key)
        if (known && (known.event === DONE || clock.now() - known.at < 300_000)) return 200
        tables.deliveries.set(key, { at: clock.now(), isDone: true, event })
        try {
          await work.gate.pass()
          await work.behaviour.book(work)
        } catch (error) {
          tables.deliveries.delete(key)
          throw error
        }
        tables.deliveries.set(key, { at: clock.now(), isDone: true, event: DONE })
        return 200
      },
    },
  },
  {
    name: 'stores the id before the work and takes it back when the work throws',
    caughtBy: 'crash',
    cause: 'the retry was answered 200 as a repeat',
    behaviour: {
      async flow(work) {
        const { tables, key, clock, event } = work
        if (tables.deliveries.has(key)) return 200
        tables.deliveries.set(key, { at: clock.now(), isDone: true, event })
        try {
          await work.gate.pass()
          await work.behaviour.book(work)
        } catch (error) {
          tables.deliveries.delete(key)
          throw error
        }
        return 200
      },
    },
  },
  {
    name: 'answers 200 to a copy that meets the running first run',
    caughtBy: 'acknowledged-in-flight',
    cause: 'a retry that met the running first run was answered 2xx',
    behaviour: {
      async flow(work) {
        return work.memory.locks.has(work.key) ? 200 : RIGHT_INLINE.flow(work)
      },
    },
  },
  {
    name: 'compares the first signature alone',
    caughtBy: 'rotation',
    cause: 'only the first signature',
    behaviour: {
      judge(raw, now) {
        const { t, v1 } = signatures(raw)
        return v1[0] === mac(t, raw.body) ? RIGHT.judge(raw, now) : 401
      },
    },
  },
  {
    name: 'compares the last signature alone',
    caughtBy: 'rotation',
    cause: 'only the last signature',
    behaviour: {
      judge(raw, now) {
        const { t, v1 } = signatures(raw)
        return v1.at(-1) === mac(t, raw.body) ? RIGHT.judge(raw, now) : 401
      },
    },
  },
  {
    name: 'reads the header by one pattern',
    caughtBy: 'header-order',
    cause: 'by position or by one pattern',
    behaviour: {
      judge(raw, now) {
        const header = raw.headers.get('x-webhook-signature') ?? ''
        return /^t=\d+(?:,v1=[\da-f]{64})+$/u.test(header) ? RIGHT.judge(raw, now) : 400
      },
    },
  },
  {
    name: 'verifies JSON that it has written again',
    caughtBy: 'raw-bytes',
    cause: 'over JSON that was parsed and written again',
    behaviour: {
      judge(raw, now) {
        const body = Buffer.from(JSON.stringify(JSON.parse(String(raw.body))))
        return RIGHT.judge({ ...raw, body }, now)
      },
    },
  },
  {
    name: 'verifies nothing',
    caughtBy: 'forgeries',
    cause: 'nothing is verified',
    behaviour: { judge: () => undefined },
  },
  {
    name: 'verifies only if there is a signature',
    caughtBy: 'forgeries',
    cause: 'without a signature is accepted',
    behaviour: {
      judge: (raw, now) =>
        raw.headers.has('x-webhook-signature') ? RIGHT.judge(raw, now) : undefined,
    },
  },
  {
    name: 'wants a signature and compares nothing with it',
    caughtBy: 'forgeries',
    cause: 'a signature must be there and is not compared',
    behaviour: { judge: (raw) => (raw.headers.has('x-webhook-signature') ? undefined : 401) },
  },
  {
    name: 'answers 500 to a forgery',
    caughtBy: 'forgeries',
    cause: 'an error of the receiver instead of a refusal',
    behaviour: {
      judge: (raw, now) => (RIGHT.judge(raw, now) === undefined ? undefined : 500),
    },
  },
  {
    name: 'looks at no time',
    caughtBy: 'freshness',
    cause: 'is not compared with the clock',
    behaviour: { judge: (raw) => RIGHT.judge(raw, Number(signatures(raw).t)) },
  },
  {
    name: 'refuses the past and takes the future',
    caughtBy: 'freshness',
    cause: 'a time ahead of the clock is accepted',
    behaviour: {
      judge: (raw, now) => RIGHT.judge(raw, Math.max(now, Number(signatures(raw).t))),
    },
  },
  {
    name: 'dedupes by the id header',
    caughtBy: 'captured-id',
    cause: 'known by its id header',
    behaviour: {
      key: (event, raw) => raw.headers.get('x-webhook-id') ?? event.event_id,
      book: bookAlways,
    },
  },
  {
    name: 'compares the time of the event with the clock',
    caughtBy: 'old-event',
    cause: 'the time of the event is compared with the clock',
    behaviour: {
      judge(raw, now) {
        const refused = RIGHT.judge(raw, now)
        if (refused !== undefined) return refused
        const { occurred_at } = JSON.parse(String(raw.body))
        return Math.abs(now - occurred_at) > 7 * 86_400 ? 401 : undefined
      },
    },
  },
  {
    name: 'fails at an unknown type',
    caughtBy: 'unknown-type',
    cause: 'an event type that is not known',
    behaviour: {
      async flow(work) {
        const known = [...BOOKING, 'invoice.confirming', 'invoice.awaiting_payment']
        const isDeposit = work.event.event_type.startsWith('payment_channel.')
        if (!isDeposit && !known.includes(work.event.event_type)) return 500
        return RIGHT.flow(work)
      },
    },
  },
  {
    name: 'refuses a newer version',
    caughtBy: 'new-fields',
    cause: 'a newer version, or a field that is not known, is refused',
    behaviour: { flow: async (work) => (work.event.version === 1 ? RIGHT.flow(work) : 422) },
  },
  {
    name: 'reads the first piece of the body',
    caughtBy: 'slow-body',
    cause: 'complete after its first piece',
    behaviour: {
      async read(request) {
        const first = await request.body?.getReader().read()
        return Buffer.from(first?.value ?? '')
      },
    },
  },
  {
    name: 'does not survive a connection that breaks off',
    caughtBy: 'cut-body',
    cause: 'does not survive a connection',
    behaviour: {
      async read(request, memory) {
        if (memory.isBroken) throw new Error('the reader is gone')
        memory.isBroken = true
        const body = await RIGHT.read(request, memory)
        memory.isBroken = false
        return body
      },
    },
  },
  {
    name: 'believes no event that is older than twelve hours',
    caughtBy: 'outage-17-h',
    cause: 'the time of the event is compared with the clock',
    behaviour: {
      async flow(work) {
        const age = work.clock.seconds() - work.event.occurred_at
        return age > 12 * 3600 ? 410 : RIGHT.flow(work)
      },
    },
  },
  {
    name: 'keeps a queue of ten and drops what does not fit',
    caughtBy: 'burst',
    cause: 'acknowledged and then dropped',
    behaviour: {
      async flow(work) {
        const { memory, tables, key, clock, event } = work
        if (memory.running.size < 10) return RIGHT.flow(work)
        tables.deliveries.set(key, { at: clock.now(), isDone: true, event })
        return 202
      },
      async book(work) {
        await new Promise((resolve) => setTimeout(resolve, 30))
        await RIGHT.book(work)
      },
    },
  },
]

/** Marks a reservation that has become permanent. */
const DONE = { event_id: '', event_type: '', version: 1, occurred_at: 0, data: {} }
