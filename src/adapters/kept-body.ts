import { utf8 } from '../core/bytes.ts'

/** A body that somebody has read before and kept, as bytes or as their text, once it has come. */
export async function* keptBody(
  kept: PromiseLike<Uint8Array | ArrayBuffer | string>,
): AsyncGenerator<Uint8Array> {
  const body = await kept
  yield typeof body === 'string' ? utf8(body) : new Uint8Array(body)
}
