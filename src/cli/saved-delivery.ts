/** A delivery as it was saved: header lines in order, and the body's bytes. */
export interface SavedDelivery {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  /** Bytes in the file behind the end of the body. */
  readonly leftOut: number
  /** Whether the file itself says where the body ends. */
  readonly isFramed: boolean
}
