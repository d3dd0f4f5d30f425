import type { SignedHeaders } from '../core/scheme.ts'

/** One request as it goes out. */
export interface Transfer {
  readonly headers: SignedHeaders
  readonly body: Uint8Array
  /** `cut`: ends in the middle of the body. `slow`: the body comes in pieces. */
  readonly fault: 'cut' | 'slow' | undefined
  /** Whether somebody still waits for the answer: an abandoned connection is closed. */
  readonly abandoned: Promise<void>
}

/** What came back: a status, or why there is none. */
export type Reply =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'refused' | 'broken' }

/** Carries one request to a receiver. It never rejects for what the receiver does. */
export type Wire = (transfer: Transfer) => Promise<Reply>

/** Sizes of the pieces of a slow body: the first ends inside the JSON. */
export function pieces(body: Uint8Array): readonly Uint8Array[] {
  const size = Math.max(1, Math.ceil(body.length / 4))
  return [0, 1, 2, 3]
    .map((piece) => body.subarray(piece * size, (piece + 1) * size))
    .filter((piece) => piece.length > 0)
}
