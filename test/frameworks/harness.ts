import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHECKS, type Check, PARSED, runCheck, type Target, UNREAD } from '../adapters/contract.ts'
import { targetOf } from '../adapters/servers.ts'
import { leftOut } from '../requirements.ts'
import { startProgram } from '../runtimes/host/processes.js'

// The contract of adapters on a real framework: a program in a process of its own, over real sockets.

const folder = fileURLToPath(new URL('.', import.meta.url))

/** What a framework's own parsers make of a body, by the path of the program where they run. */
export interface ParserPaths {
  readonly large?: true
  /** `true` is `/kept`. */
  readonly kept?: true | readonly string[]
  readonly parsed?: Lost
  readonly read?: Lost
}

/** What the owner is told, with this framework's own advice. */
export interface Lost {
  readonly code: 'body_not_raw' | 'body_already_read'
  readonly advice: RegExp
}

export interface Framework {
  readonly name: string
  /** A file below `servers/`, or a command; it prints `listening on <url>`. */
  readonly program: string | readonly [command: string, ...args: string[]]
  readonly parsers: ParserPaths
  /** How it is asked, if not over HTTP/1.1. */
  readonly target?: (url: string) => Target
  /** Checks that cannot be made of it, each with the reason. */
  readonly exempt?: Readonly<Record<string, string>>
  /** More of its own. */
  readonly more?: readonly Check[]
}

/** What is exempt where somebody reads a body to its end before the receiver is called. */
export function bodyFirst(reason: string): Readonly<Record<string, string>> {
  return {
    'a wrong header is refused before the body has come': reason,
    'a stale signature is refused before the body has come': reason,
    'an endless body is cut at the largest size': reason,
  }
}

/** Runs the whole contract against one framework. */
export function describeFramework({
  name,
  program,
  parsers,
  target = targetOf,
  exempt = {},
  more = [],
}: Framework): void {
  const [command, ...args] =
    typeof program === 'string' ? [process.execPath, `${folder}servers/${program}`] : program
  const missing = [command, ...args].filter((part) => part.startsWith('/') && !existsSync(part))
  if (!existsSync(`${folder}node_modules`)) missing.push('test/frameworks/node_modules')
  const checks = [...CHECKS, UNREAD, ...parserChecks(parsers), ...more]

  describe.skipIf(leftOut(missing))(`the contract on ${name}`, () => {
    let running: Awaited<ReturnType<typeof startProgram>>
    beforeAll(async () => {
      running = await startProgram(command as string, args, { cwd: folder })
    })
    afterAll(() => running?.end())

    test.each(
      checks
        .filter((check) => !(check.name in exempt))
        .map((check) => [check.name, check] as const),
    )('%s', (_, check) => runCheck(check, target(running.url)))

    test('what it is exempt from is part of the contract', () => {
      const names = checks.map((check) => check.name)
      expect(Object.keys(exempt).filter((exempted) => !names.includes(exempted))).toEqual([])
    })
  })
}

function parserChecks({ large, kept = [], parsed, read }: ParserPaths): Check[] {
  return [
    ...(large ? [PARSED.large] : []),
    ...(kept === true ? ['/kept'] : kept).map(PARSED.kept),
    ...(parsed ? [PARSED.parsed(parsed.code, parsed.advice)] : []),
    ...(read ? [PARSED.read(read.code, read.advice)] : []),
  ]
}
