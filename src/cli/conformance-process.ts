import { setImmediate as turn } from 'node:timers/promises'
import { mapMembers } from '../conformance/input.ts'
import { checkFrame, PROTOCOL, type Request } from '../conformance/protocol.ts'
import type { Mishap, OpenSession, Reply, Session } from '../conformance/session.ts'
import { isObject } from '../core/envelope.ts'
import { type Child, type ChildEvent, startChild } from './conformance-child.ts'
import { stderrLines } from './conformance-stderr.ts'
import { shown } from './output.ts'

const HELLO_MS = 15_000
const BYE_MS = 2000
/** A long line is with the adapter when it has read nearly all of it; its own time begins then. */
const WRITE_MS = 15_000
const QUOTED_BYTES = 200

export interface Adapter {
  /** The program and its arguments, which no shell reads. */
  readonly command: readonly string[]
  readonly hello: Readonly<Record<string, unknown>>
  /** Multiplies every time limit. */
  readonly slow: number
}

/** One process for many questions. */
export function openStream({ command, hello, slow }: Adapter): OpenSession {
  return async () => {
    const child = startChild(command)
    let seq = 0
    child.write(message(seq, { cmd: 'hello', ...hello }), 0)
    const helloMs = HELLO_MS * slow
    const greeting = read(await child.next(helloMs), seq, child, helloMs)
    if (greeting.kind !== 'answer') {
      await child.kill()
      return { complaint: complaintOf(greeting, child) }
    }
    return {
      hello: greeting.value,
      survives: false,
      async ask(request, limitMs) {
        const stray = await strayLine(child)
        if (stray !== undefined) return { kind: 'stray', back: 1, detail: stray }
        seq += 1
        await child.write(message(seq, runMembers(request)), WRITE_MS * slow)
        const event = await child.next(limitMs)
        return secondAnswer(event, seq) ?? read(event, seq, child, limitMs)
      },
      async end() {
        const stray = await strayLine(child)
        seq += 1
        child.write(message(seq, { cmd: 'bye' }), 0)
        child.closeInput()
        const event = await child.next(BYE_MS * slow)
        await child.kill()
        if (stray !== undefined) return { stray }
        if (event.kind === 'line') {
          const late = secondAnswer(event, seq)
          if (late !== undefined) return { stray: late.detail }
          return { note: `the adapter wrote a line after bye: ${quoted(event.text)}` }
        }
        if (event.kind === 'silence') {
          return { note: 'the adapter did not exit in time after bye, and was ended' }
        }
        const isClean = event.kind === 'exit' && event.exit.code === 0
        return isClean ? {} : { note: `after bye the adapter ${endWords(event)}` }
      },
      kill: () => child.kill(),
    } satisfies Session
  }
}

/** The line that came behind an answer; one that was written with it is there by now. */
async function strayLine(child: Child): Promise<string | undefined> {
  await turn()
  if (child.waiting() === 0) return undefined
  const event = await child.next(0)
  return event.kind === 'line' ? quoted(event.text) : undefined
}

export function message(seq: number, members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ p: PROTOCOL, seq, ...members })
}

/** On the wire all bytes are base64. */
export function runMembers({ profile, op, input, id }: Request): Readonly<Record<string, unknown>> {
  return { cmd: 'run', profile, op, input: encoded(input), ...(id !== undefined && { id }) }
}

function encoded(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(encoded)
  return isObject(value) ? mapMembers(value, encoded) : value
}

/** What an event says about the question `seq`. */
export function read(
  event: ChildEvent,
  seq: number,
  child: Child,
  limitMs: number,
): Exclude<Reply, { kind: 'stray' }> {
  if (event.kind === 'line') {
    const value = parsed(event.text)
    const complaint = value === undefined ? 'the line is no JSON' : checkFrame(value, seq)
    if (complaint === undefined) return { kind: 'answer', value }
    return mishap('protocol_error', `${complaint}: ${quoted(event.text)}`, child)
  }
  if (event.kind === 'too_long') {
    return mishap('protocol_error', 'a line of more than 32 MiB', child)
  }
  if (event.kind === 'exit') return mishap('crash', endWords(event), child)
  const within = `within ${limitMs / 1000} s`
  if (event.received > 0) {
    return mishap('timeout', `${event.received} bytes without a line end came ${within}`, child)
  }
  // One that has answered before does flush, and was too slow or hangs.
  const hint = seq > 1 ? '' : '; does the adapter flush its output after every line?'
  return mishap('timeout', `nothing came ${within}${hint}`, child)
}

function endWords(event: ChildEvent): string {
  if (event.kind !== 'exit') return 'wrote a line of more than 32 MiB'
  const { exit, rest } = event
  return rest === 0 ? exit.words : `${exit.words}, after ${rest} bytes without a line end`
}

/** An answer that did not come, with what the adapter wrote to standard error. */
export function mishap(
  kind: Mishap,
  detail: string,
  child: Child,
): Exclude<Reply, { kind: 'stray' }> {
  const stderr = child.stderr()
  return { kind, detail, ...(stderr !== '' && { stderr }) }
}

/** Why the adapter did not say hello. */
export function complaintOf(
  reply: Exclude<Reply, { kind: 'stray' | 'answer' }>,
  child: Child,
): string {
  const words = stderrLines(child.stderr()).map((line) => `  ${line}`)
  return [`no answer to hello: ${reply.detail}`, ...words].join('\n')
}

/** An answer to a question that was answered before. */
function secondAnswer(
  event: ChildEvent,
  seq: number,
): Extract<Reply, { kind: 'stray' }> | undefined {
  const value = event.kind === 'line' ? parsed(event.text) : undefined
  if (event.kind !== 'line' || !isObject(value) || !Number.isInteger(value.seq)) return undefined
  const back = seq - Number(value.seq)
  return back > 0 && back <= seq ? { kind: 'stray', back, detail: quoted(event.text) } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function quoted(text: string): string {
  return shown(text.slice(0, QUOTED_BYTES))
}
