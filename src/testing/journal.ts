import type { Attempt } from './attempt.ts'
import type { Message } from './message.ts'
import type { Subject } from './story.ts'
import type { TimelineEntry } from './timeline.ts'

/** What happened in one scenario, by what it was about. */
export interface Journal {
  /** Notes what a message is about. */
  readonly about: (subject: Subject, message: Message) => void
  readonly attempt: (attempt: Attempt) => void
  readonly step: (subject: Subject, what: string) => void
  readonly seen: (subject: Subject, effects: number) => void
  readonly attemptsOf: (subject: Subject) => readonly Attempt[]
  readonly timelineOf: (subject: Subject) => TimelineEntry[]
}

type Happening =
  | { readonly at: number; readonly effects: number }
  | { readonly at: number; readonly what: string }
  | { readonly at: number; readonly attempt: Attempt }

export function createJournal(now: () => number): Journal {
  const start = now()
  const subjectIds = new Map<string, string>()
  const happenings = new Map<string, Happening[]>()
  const allOf = (subjectId: string) => {
    const all = happenings.get(subjectId) ?? []
    happenings.set(subjectId, all)
    return all
  }
  const of = ({ id }: Subject) => [...allOf(id)].sort((a, b) => a.at - b.at)
  return {
    about(subject, message) {
      subjectIds.set(message.id, subject.id)
    },
    attempt(attempt) {
      allOf(subjectIds.get(attempt.id) ?? '').push({ at: attempt.at, attempt })
    },
    step(subject, what) {
      allOf(subject.id).push({ at: now(), what })
    },
    seen(subject, effects) {
      const all = allOf(subject.id)
      const last = all.at(-1)
      // Who waits for work looks again and again.
      if (last !== undefined && 'effects' in last) all.pop()
      all.push({ at: now(), effects })
    },
    attemptsOf: (subject) =>
      of(subject).flatMap((happening) => ('attempt' in happening ? [happening.attempt] : [])),
    timelineOf(subject) {
      const entries: TimelineEntry[] = []
      for (const happening of of(subject)) {
        const at = happening.at - start
        if ('what' in happening) entries.push({ kind: 'step', at, what: happening.what })
        else if ('attempt' in happening) entries.push(entryOf(at, happening.attempt))
        else {
          const last = entries.pop()
          if (last !== undefined) entries.push({ ...last, effects: happening.effects })
        }
      }
      return entries
    },
  }
}

function entryOf(at: number, attempt: Attempt): TimelineEntry {
  const { id, type, number, outcome, status, fault, note } = attempt
  return {
    ...{ kind: 'attempt', at, id, type, attempt: number, outcome },
    ...(status !== undefined && { status }),
    ...(fault !== undefined && { fault }),
    ...(note !== undefined && { note }),
  }
}
