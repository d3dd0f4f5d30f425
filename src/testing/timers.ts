// Every runtime brings these; the sources are compiled without the libraries that declare them.
declare const setTimeout: (callback: () => void, ms: number) => unknown
declare const clearTimeout: (timer: unknown) => void

export interface Timer {
  readonly over: Promise<void>
  /** It is never over then, and keeps no process alive. */
  readonly cancel: () => void
}

export function timer(ms: number): Timer {
  let id: unknown
  const over = new Promise<void>((resolve) => {
    id = setTimeout(resolve, ms)
  })
  return { over, cancel: () => clearTimeout(id) }
}

export function sleep(ms: number): Promise<void> {
  return timer(ms).over
}

/** What settles first: the promise, or the time, which gives `late`. */
export async function orLate<T, L>(promise: Promise<T>, ms: number, late: L): Promise<T | L> {
  const { over, cancel } = timer(ms)
  try {
    return await Promise.race([promise, over.then(() => late)])
  } finally {
    cancel()
  }
}
