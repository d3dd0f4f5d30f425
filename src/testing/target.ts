import { fail } from '../core/errors.ts'
import { hasMethod } from '../core/options.ts'
import { byUrl, checkUrl } from './by-url.ts'
import type { ProcessTarget } from './child.ts'
import { type Handler, inProcess } from './in-process.ts'
import type { Transfer } from './wire.ts'

/** A handler in this process, a URL, or a process that the kit starts and kills. */
export type Target = Handler | string | ProcessTarget

export interface Receiver {
  /** For people: where deliveries go. */
  readonly name: () => string
  readonly kind: 'function' | 'url' | 'process'
  readonly isLoopback: boolean
  readonly send: (transfer: Transfer) => ReturnType<ReturnType<typeof byUrl>>
  /** Ends the process at once and starts it again. */
  readonly restart: () => Promise<void>
  /** Ends the process. */
  readonly close: () => Promise<void>
}

const nothing = async () => {}

export function openTarget(target: Target, allowHost?: string): Receiver {
  if (typeof target === 'function') {
    const send = inProcess(target)
    const name = () => target.name || 'a function'
    return { name, kind: 'function', isLoopback: true, send, restart: nothing, close: nothing }
  }
  if (typeof target === 'string') {
    const { isLoopback } = checkUrl(target, allowHost)
    const send = byUrl(target)
    return { name: () => target, kind: 'url', isLoopback, send, restart: nothing, close: nothing }
  }
  if (!hasMethod(target, 'start') || !hasMethod(target, 'kill')) {
    fail('testing_invalid', 'target must be an http or https URL, a function, or a process')
  }
  return openProcess(target)
}

function openProcess(target: ProcessTarget): Receiver {
  let address: Promise<string> | undefined
  const start = async () => {
    const url = await target.start()
    checkUrl(url, undefined)
    return url
  }
  const opened = () => {
    address ??= start()
    return address
  }
  let shown = 'a process'
  const close = async () => {
    if (address === undefined) return
    address = undefined
    await target.kill()
  }
  return {
    name: () => shown,
    kind: 'process',
    isLoopback: true,
    async send(transfer) {
      shown = await opened()
      return byUrl(shown)(transfer)
    },
    async restart() {
      await close()
      await opened()
    },
    close,
  }
}
