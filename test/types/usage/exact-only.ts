// Refusals that only `exactOptionalPropertyTypes` can see; at run time each of them throws.
import type { Scheme, StandardSchema } from 'hookproof'
import { verify } from 'hookproof'

const request = { headers: {}, body: '' }
const schema = some<StandardSchema<{ readonly id: number }> | undefined>()
const scheme = some<Scheme<{ readonly id: number }> | undefined>()

export async function anOwnUndefinedIsNoDefault(): Promise<void> {
  // @ts-expect-error TS2322: a mistyped import must not switch validation off
  await verify(request, { secret: 'whsec_1', schema })
  // @ts-expect-error TS2322: nor change the provider
  await verify(request, { secret: 'whsec_1', scheme })
  await verify(request, {
    secret: 'whsec_1',
    toleranceSeconds: undefined,
    now: undefined,
    maxBodyBytes: undefined,
    engine: undefined,
  })
}
