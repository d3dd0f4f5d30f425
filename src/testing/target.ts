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
  /** Starts the process, unless it runs. */
  readonly open: () => Promise<void>
  /** Ends the process at once and starts it again. */
  readonly restart: () => Promise<void>
  /** Ends the process. */
  readonly close: () => Promise<void>
}

const nothing = async () => {}
const NO_PROCESS = { open: nothing, restart: nothing, close: nothing }

export function openTarget(target: Target, allowHost?: string): Receiver {
  if (typeof target === 'function') {
    const send = inProcess(target)
    const name = () => 'a function in this process'
    return { name, kind: 'function', isLoopback: true, send, ...NO_PROCESS }
  }
  if (typeof target === 'string') {
    const { isLoopback } = checkUrl(target, allowHost)
    const send = byUrl(target)
    return { name: () => target, kind: 'url', isLoopback, send, ...NO_PROCESS }
  }
  if (!hasMethod(target, 'start') || !hasMethod(target, 'kill')) {
    fail('testing_invalid', 'target must be an http or https URL, a function, or a process')
  }
  return openProcess(target)
}

function openProcess(target: ProcessTarget): Receiver {
  let address: Promise<string> | undefined
  let name = 'a process'
  const start = async () => {
    const url = await target.start()
    checkUrl(url, undefined)
    name = url
    return url
  }
  const opened = () => {
    address ??= start()
    return address
  }
  const close = async () => {
    if (address === undefined) return
    address = undefined
    await target.kill()
  }
  return {
    name: () => name,
    kind: 'process',
    isLoopback: true,
    send: async (transfer) => byUrl(await opened())(transfer),
    async open() {
      await opened()
    },
    async restart() {
      await close()
      await opened()
    },
    close,
  }
}
