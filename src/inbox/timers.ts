// Every runtime brings these; the sources are compiled without the libraries that declare them.
declare const setTimeout: (callback: () => void, ms: number) => unknown
declare const clearTimeout: (timer: unknown) => void
declare const AbortController: new () => {
  readonly signal: CancelSignal
  readonly abort: (reason: Error) => void
}

/** Your own `AbortSignal`, whatever library or runtime declares it, for `fetch` and its kin. */
export type CancelSignal = typeof globalThis extends {
  readonly AbortSignal: { readonly prototype: infer S }
}
  ? S
  : CancelSignalShape

export interface CancelSignalShape {
  readonly aborted: boolean
  readonly reason: unknown
}

/** Calls back once, unless it is called itself before. */
export function later(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    later(ms, resolve)
  })
}

/** What a promise gives within this time, else `undefined`; it goes on all the same. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let cancel = () => {}
  const late = new Promise<undefined>((resolve) => {
    cancel = later(ms, () => resolve(undefined))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    cancel()
  }
}

/** A signal, a promise that rejects with its reason, and what sets both off. */
export interface Cancellation {
  readonly signal: CancelSignal
  readonly cancelled: Promise<never>
  readonly cancel: (reason: string) => void
}

export function cancellation(): Cancellation {
  const controller = new AbortController()
  let reject: (error: Error) => void
  const cancelled = new Promise<never>((_, refuse) => {
    reject = refuse
  })
  cancelled.catch(() => {})
  return {
    signal: controller.signal,
    cancelled,
    cancel(reason) {
      const error = new Error(reason)
      controller.abort(error)
      reject(error)
    },
  }
}
