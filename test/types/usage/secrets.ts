import type { Secret, VerifyOptions } from 'hookproof'
import { createSigner, createVerifier, verify } from 'hookproof'
import { createSyncSigner, verifySync } from 'hookproof/sync'

const request = { headers: {}, body: '' }
const bytes = new Uint8Array(32)

export const accepted: readonly VerifyOptions[] = [
  { secret: 'whsec_1' },
  { secret: bytes },
  { secret: { id: '2025-06', secret: 'whsec_1' } },
  { secret: { id: '2025-06', secret: bytes } },
  { secret: ['whsec_2', 'whsec_1'] },
  { secret: ['whsec_2', 'whsec_1'] as const },
  { secret: some<string[]>() },
  { secret: 'whsec_2,whsec_1'.split(',') },
  { secret: some<readonly string[]>() },
  { secret: ['whsec_3', bytes, { id: 'old', secret: 'whsec_1' }] },
  { secret: [] },
  { secret: some<Secret | readonly Secret[]>() },
]

export async function refused(): Promise<void> {
  // @ts-expect-error TS2322: a vault's promise
  await verify(request, { secret: some<Promise<string>>() })
  // @ts-expect-error TS2322: a number
  await verify(request, { secret: 12345 })
  // @ts-expect-error TS2322: an id without its secret
  await verify(request, { secret: { id: 'a' } })
  // @ts-expect-error TS2322: a named secret without its id
  await verify(request, { secret: { secret: 'whsec_1' } })
  // @ts-expect-error TS2561: `secrets` is not `secret`
  await verify(request, { secrets: ['whsec_1'] })
  // @ts-expect-error TS2345: no secret at all
  await verify(request, {})
  // @ts-expect-error TS2322: a buffer, not a view of it
  await verify(request, { secret: bytes.buffer })
  // @ts-expect-error TS2322: a list of lists
  await verify(request, { secret: [['whsec_1']] })
  // @ts-expect-error TS2322: the same of every face
  verifySync(request, { secret: 12345 })
  // @ts-expect-error TS2322
  createVerifier({ secret: 12345 })
  // @ts-expect-error TS2322
  createSigner({ secret: 12345 })
  // @ts-expect-error TS2322
  createSyncSigner({ secret: 12345 })
}
