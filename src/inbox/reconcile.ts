import { isText } from '../core/envelope.ts'
import { fail } from '../core/errors.ts'
import { readNames } from '../core/options.ts'
import { storable } from './record.ts'
import type { InboxStore, StoredDelivery } from './store.ts'

export interface Resource {
  /** As in `delivery.resource`: `invoice`, `withdrawal`, … */
  readonly kind: string
  readonly id: string
}

export interface ReconcileOrder<R extends Resource> {
  /** What the provider's API says should be booked, such as every invoice it calls paid. */
  readonly resources: Iterable<R> | AsyncIterable<R>
  /** The name that the booking gives to `once`. */
  readonly once?: string | undefined
  /** How often your own tables say that it is booked; default: once, if `once` was taken. */
  readonly effects?: ((resource: R) => number | Promise<number>) | undefined
}

/**
 * `missing`: no delivery about it ever came, so look at the subscription, the URL and the firewall.
 * `unbooked`: some came, but the booking was not done: see `deliveries` for one that is due or dead;
 * if the one that books is not among them, it was not subscribed to, or was dropped as a duplicate.
 * `double`: it is booked more than once, so the booking is keyed by the wrong id.
 */
export interface Discrepancy<R extends Resource> {
  readonly kind: 'missing' | 'unbooked' | 'double'
  readonly resource: R
  readonly effects: number
  readonly deliveries: readonly StoredDelivery[]
}

export interface ReconcileReport<R extends Resource> {
  readonly checked: number
  readonly found: readonly Discrepancy<R>[]
}

/** Compares what the provider says with the rows, and with what was booked. */
export async function reconcile<R extends Resource>(
  store: InboxStore,
  order: ReconcileOrder<R>,
): Promise<ReconcileReport<R>> {
  readNames(order, ['resources', 'once', 'effects'], 'inbox_invalid')
  const { resources, once, effects } = order
  if (effects === undefined && !isText(once)) {
    fail('inbox_invalid', 'reconcile() needs once or effects, to know what was booked')
  }
  const booked = async (resource: R, kind: string, id: string) => {
    if (effects !== undefined) return effects(resource)
    return (await store.taken([`${once}:${kind}:${id}`])).length
  }
  const found: Discrepancy<R>[] = []
  let checked = 0
  for await (const resource of resources) {
    checked++
    const [resourceKind, id] = [await storable(resource.kind), await storable(resource.id)]
    const rows = await store.find({ resourceId: id })
    const deliveries = rows.filter((row) => row.resource?.kind === resourceKind)
    const count = await booked(resource, resourceKind, id)
    const kind = deliveries.length === 0 ? 'missing' : count === 0 ? 'unbooked' : 'double'
    if (kind !== 'double' || count > 1) found.push({ kind, resource, effects: count, deliveries })
  }
  return { checked, found }
}
