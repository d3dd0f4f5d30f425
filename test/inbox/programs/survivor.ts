import { createInbox, type Inbox, type InboxSignal } from '../../../dist/inbox/index.js'
import { createVerifier } from '../../../dist/index.js'
import { NOW, SECRET } from '../../fixtures.ts'
import { bookingHandler, openShop, type Shop, type ShopSpec } from './shop.js'
import { deliveryOf, pause } from './start.ts'

const verifier = createVerifier({ secret: SECRET, now: () => NOW })

export interface Survivor {
  readonly shop: Shop
  readonly inbox: Inbox
  readonly signals: InboxSignal[]
}

/** An inbox of a process that nothing happens to, at a shop: now or, with `aheadMs`, later. */
export async function survivor(
  given: ShopSpec | Shop,
  more: { readonly guarded?: boolean; readonly options?: object } = {},
): Promise<Survivor> {
  const signals: InboxSignal[] = []
  const shop = 'store' in given ? given : await openShop(given)
  const inbox = createInbox({
    store: shop.store,
    handlers: { 'invoice.paid': bookingHandler(shop, { guarded: more.guarded === true }) },
    backoff: () => 0,
    onSignal: (signal: InboxSignal) => signals.push(signal),
    ...more.options,
  } as never) as Inbox
  return { shop, inbox, signals }
}

export function deliveryAbout(id: string): ReturnType<typeof deliveryOf> {
  return deliveryOf(id, `inv_${id}`)
}

export function invoices(ids: readonly string[]): string[] {
  return ids.map((id) => `inv_${id}`).sort()
}

/** Takes a delivery, or the one about an id, without HTTP, and gives the status. */
export async function receive(
  inbox: Inbox,
  given: string | ReturnType<typeof deliveryOf>,
): Promise<number> {
  const verdict = await verifier.verify(typeof given === 'string' ? deliveryAbout(given) : given)
  if (!verdict.ok) throw new Error(verdict.detail)
  return (await inbox.receive(verdict)).status
}

/**
 * Works on so many, and gives how many there were. A server may take a moment to see that a client
 * is gone, and to free its rows.
 */
export async function drained(inbox: Inbox, count: number): Promise<number> {
  let all = await inbox.drain()
  for (let time = 0; time < 500 && all < count; time++) {
    await pause(10)
    all += await inbox.drain()
  }
  return all
}
