import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../core/envelope.ts'
import type { GateControl, KitOptions, Observation } from '../testing/kit-options.ts'
import type { Subject } from '../testing/story.ts'
import { orLate } from '../testing/timers.ts'
import { type Arguments, optionValue } from './arguments.ts'
import { shown } from './output.ts'
import { exitWords, signalGroup, startFailure, startShell } from './process-group.ts'
import { misuse, UsageError } from './usage-error.ts'

type Hooks = Pick<KitOptions, 'observe'> & Partial<KitOptions>

/** The options that name a module or a command, and the kit's option that each fills. */
const SOURCES = {
  observe: 'observe',
  'book-by-hand': 'bookByHand',
  prepare: 'prepare',
} as const
type Source = keyof typeof SOURCES

/** What `--gate` is told to do. */
const ACTIONS = { hold: 'hold', release: 'release', failOnce: 'fail-once' } as const

/** What the module of `--observe` may export beside it; the kit checks each. */
const EXPORTS = ['bookByHand', 'prepare', 'settle', 'started', 'restart', 'reconcile', 'gate']

const MODULE = /^\S+\.[cm]?[jt]s$/u
const COMMAND_MS = 30_000
const TOOK_LONG = `took more than ${COMMAND_MS / 1000} s`
const LATE = Symbol('late')
const MAX_OUTPUT = 64 * 1024

export const HOOK_HELP = `  --observe WHAT       how often is it booked? A command that prints a number for {id}, and if you
                       like a state behind it ("1 shipped"); or a JavaScript module (*.mjs)
  --book-by-hand WHAT  the same for booking {id} as your support does, without a webhook: for P4
  --prepare WHAT       the same for making the order {order} that an event will be about
  --settle COMMAND     waits until the work behind the answer is over; "true" for a receiver that
                       answers when it is (default: until --observe says the same for 300 ms)
  --gate COMMAND       stops the work on a delivery where it begins: {action} is hold, release, or
                       fail-once for the next work to fail; without it P3 rests on chance

A shell reads a command; {id} and {order} are letters, digits, - and _. What is not named in it is
its last argument. A module exports observe, and may export what a kit takes beside it.`

/** What the options say about the tables behind the receiver. */
export async function readHooks(args: Arguments): Promise<Hooks> {
  const hooks: Record<string, unknown> = {}
  for (const source of Object.keys(SOURCES) as Source[]) {
    const text = optionValue(args, source)
    if (text === undefined) continue
    const isModule = MODULE.test(text)
    Object.assign(hooks, isModule ? await fromModule(source, text) : fromCommand(source, text))
  }
  const gate = optionValue(args, 'gate')
  if (gate !== undefined) hooks.gate = gateBy(gate)
  const settle = optionValue(args, 'settle')
  if (settle !== undefined) hooks.settle = () => outputOf('settle', settle)
  if (hooks.observe === undefined) {
    misuse(
      'arguments_invalid',
      '--observe is missing: a command that prints how often {id} is booked, or a module',
    )
  }
  return hooks as unknown as Hooks
}

async function fromModule(source: Source, path: string): Promise<Record<string, unknown>> {
  const name = SOURCES[source]
  let found: Readonly<Record<string, unknown>>
  try {
    found = await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    return failed(`the module of --${source} cannot be loaded`, error)
  }
  const main = found[name] ?? found.default
  if (typeof main !== 'function') {
    misuse('hook_failed', `the module of --${source} must export a function ${name}`)
  }
  const others = source === 'observe' ? EXPORTS : []
  const all = [[name, main], ...others.map((other) => [other, found[other]])] as const
  return Object.fromEntries(
    all
      .filter(([, value]) => value !== undefined)
      .map(([hook, value]) => [hook, guarded(String(hook), value)]),
  )
}

/** Functions of a module, also inside an object such as a gate, so that their errors are told as theirs. */
function guarded(name: string, value: unknown): unknown {
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, guarded(`${name}.${key}`, inner)]),
    )
  }
  // Work may never come to a gate; who asks has a limit of its own.
  if (typeof value !== 'function' || name === 'gate.arrived') return value
  return async (...given: unknown[]) => {
    const call = async () => value(...given)
    const result = await orLate(call(), COMMAND_MS, LATE).catch((error) =>
      failed(`${name} of the module threw`, error),
    )
    if (result === LATE) misuse('hook_failed', `${name} of the module ${TOOK_LONG}`)
    return result
  }
}

function failed(what: string, error: unknown): never {
  const { message, cause } = Object(error) as {
    readonly message?: unknown
    readonly cause?: unknown
  }
  const { message: reason } = Object(cause) as { readonly message?: unknown }
  const words = [message ?? error, ...(reason === undefined ? [] : [reason])].join(': ')
  throw new UsageError('hook_failed', `${what}: ${shown(words)}`)
}

function fromCommand(source: Source, commandLine: string): Record<string, unknown> {
  const run = async ({ id, orderId }: Subject) => {
    const output = await outputOf(source, fill(commandLine, { id, order: orderId }))
    return source === 'observe' ? readObservation(output) : undefined
  }
  const hook = source === 'prepare' ? run : (_: string, subject: Subject) => run(subject)
  return { [SOURCES[source]]: hook }
}

function gateBy(commandLine: string): GateControl {
  return Object.fromEntries(
    Object.entries(ACTIONS).map(([name, action]) => [
      name,
      async () => {
        await outputOf('gate', fill(commandLine, { action }))
      },
    ]),
  )
}

/** The command line with its values in their places, or the first of them at its end. */
function fill(commandLine: string, values: Readonly<Record<string, string>>): string {
  const [first = ''] = Object.values(values)
  // What a shell reads holds nothing but what the sender itself made up.
  if (!Object.values(values).every((value) => /^[\w.-]+$/u.test(value))) {
    misuse('hook_failed', 'an id that no shell may read')
  }
  const filled = commandLine.replaceAll(/\{(\w+)\}/gu, (text, name) => values[name] ?? text)
  return filled === commandLine ? `${commandLine} ${first}` : filled
}

/** `3`, or a number and a state behind it, as database shells print a row: `1|shipped`. */
function readObservation(output: string): Observation {
  const [, digits, state] = /^(\d{1,9})(?:[\s|,;]+(.*))?$/su.exec(output) ?? []
  if (digits === undefined) {
    misuse('hook_failed', `the command of --observe printed no number: ${shown(output)}`)
  }
  return { effects: Number(digits), ...(state && { state }) }
}

/** What it prints; what it writes to standard error is seen as it is. */
function outputOf(option: string, commandLine: string): Promise<string> {
  const what = `the command of --${option}`
  const child = startShell(commandLine, ['ignore', 'pipe', 'inherit'])
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(0, MAX_OUTPUT)
  })
  return new Promise((resolve, reject) => {
    const refuse = (words: string) => reject(new UsageError('hook_failed', `${what} ${words}`))
    const timer = setTimeout(() => {
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
      refuse(TOOK_LONG)
    }, COMMAND_MS)
    child.once('error', (error) => refuse(startFailure(error)))
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resolve(output.trim())
      else refuse(exitWords(code, signal))
    })
  })
}
