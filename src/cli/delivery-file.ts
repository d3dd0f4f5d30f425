import { readJsonDelivery } from './json-delivery.ts'
import { readRawRequest } from './raw-request.ts'
import type { SavedDelivery } from './saved-delivery.ts'
import { misuse } from './usage-error.ts'

/**
 * Reads a saved raw HTTP request, or JSON `{ headers, body }` when the first byte that is not blank
 * is a brace.
 */
export function readDelivery(file: Buffer): SavedDelivery {
  if (file.length >= 2 && (file.readUInt16BE() === 0xfffe || file.readUInt16BE() === 0xfeff)) {
    misuse(
      'delivery_malformed',
      'the delivery file is UTF-16; save the bytes as they were received',
    )
  }
  const start = file.subarray(0, 3).toString('hex') === 'efbbbf' ? 3 : 0
  const first = firstNonBlank(file, start)
  if (first === file.length) misuse('delivery_malformed', 'the delivery file is empty')
  return file[first] === 0x7b
    ? readJsonDelivery(file.subarray(first))
    : readRawRequest(file.subarray(start))
}

function firstNonBlank(file: Buffer, from: number): number {
  let index = from
  while (index < file.length && [0x20, 0x09, 0x0d, 0x0a].includes(file[index] as number)) index++
  return index
}
