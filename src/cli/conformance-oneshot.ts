import type { OpenSession, Reply, Session } from '../conformance/session.ts'
import { startChild } from './conformance-child.ts'
import {
  type Adapter,
  complaintOf,
  message,
  mishap,
  read,
  runMembers,
} from './conformance-process.ts'

/** A question pays for the start of its process, so a limit for the answer alone would not hold. */
const ONESHOT_MS = 15_000

/** A process for every question: one line in, one line out, exit with 0. */
export function openOneshot({ command, hello, slow }: Adapter): OpenSession {
  let seq = 0

  async function ask(members: Readonly<Record<string, unknown>>) {
    const child = startChild(command)
    const mine = seq
    seq += 1
    child.write(message(mine, members), 0)
    child.closeInput()
    const limitMs = ONESHOT_MS * slow
    const first = read(await child.next(limitMs), mine, child, limitMs)
    const reply = first.kind === 'answer' ? await afterAnswer(first) : first
    await child.kill()
    return { reply, child }

    async function afterAnswer(answer: typeof first): Promise<typeof first> {
      const event = await child.next(limitMs)
      if (event.kind === 'exit') {
        if (event.exit.code === 0 && event.rest === 0) return answer
        return event.exit.code === 0
          ? mishap('protocol_error', 'more than one line', child)
          : mishap('crash', `it answered and then ${event.exit.words}`, child)
      }
      return event.kind === 'silence'
        ? mishap('timeout', 'it answered and did not exit', child)
        : mishap('protocol_error', 'more than one line', child)
    }
  }

  return async () => {
    const { reply, child } = await ask({ cmd: 'hello', ...hello })
    if (reply.kind !== 'answer') return { complaint: complaintOf(reply, child) }
    return {
      hello: reply.value,
      survives: true,
      ask: async (request): Promise<Reply> => (await ask(runMembers(request))).reply,
      end: async () => ({}),
      kill: async () => {},
    } satisfies Session
  }
}
