import type { PaymosEvent, Scheme, StandardSchema, Verdict } from 'hookproof'
import { createVerifier, verify } from 'hookproof'
import { constructEvent } from 'hookproof/sync'
import * as v from 'valibot'
import { z } from 'zod'

const request = { headers: {}, body: '' }
const secret = 'whsec_1'
type Order = { readonly id: number; readonly paid: Date }

const byZod = z.object({ id: z.number(), paid: z.string().transform((text) => new Date(text)) })
const byValibot = v.object({
  id: v.number(),
  paid: v.pipe(
    v.string(),
    v.transform((text) => new Date(text)),
  ),
})
const tickets = some<Scheme<{ readonly ticket: string }>>()

check<Equal<z.output<typeof byZod>, { id: number; paid: Date }>>()

export async function theirOutputIsTheEvent(): Promise<void> {
  const zod = await verify(request, { secret, schema: byZod })
  check<Equal<typeof zod, Verdict<{ id: number; paid: Date }>>>()
  const valibot = await verify(request, { secret, schema: byValibot })
  check<Equal<typeof valibot, Verdict<{ id: number; paid: Date }>>>()
  const withScheme = await verify(request, { secret, scheme: tickets, schema: byZod })
  check<Equal<typeof withScheme, Verdict<{ id: number; paid: Date }>>>()
  const sync = constructEvent(request, { secret, scheme: tickets, schema: byValibot })
  check<Equal<typeof sync, { id: number; paid: Date }>>()
  const verifier = createVerifier({ secret, schema: byZod })
  const verdict = await verifier.verify(request)
  if (verdict.ok) verdict.event satisfies Order
  // @ts-expect-error TS2561: a misspelt option beside a schema
  await verify(request, { secret, schema: byZod, toleranceSecond: 1 })
  // @ts-expect-error TS2561: the same beside the other library's
  await verify(request, { secret, schema: byValibot, toleranceSecond: 1 })
}

export async function aTypeAndItsSchemaHaveToAgree(): Promise<void> {
  await verify<PaymosEvent, Order>(request, { secret, schema: byZod })
  await verify<PaymosEvent, Order>(request, { secret, schema: byValibot })
  // @ts-expect-error TS2322: the schema gives something else
  await verify<PaymosEvent, Order>(request, { secret, schema: z.object({ id: z.string() }) })
  // @ts-expect-error TS2322: the same of the other library's
  await verify<PaymosEvent, Order>(request, { secret, schema: v.object({ id: v.string() }) })
}

export const own: StandardSchema<number> = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: (value) =>
      typeof value === 'number' ? { value } : { issues: [{ message: 'expected a number' }] },
  },
}

export const standard: readonly StandardSchema<unknown>[] = [byZod, byValibot, own]
