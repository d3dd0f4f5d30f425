import { preflight } from '../conformance/preflight.ts'
import { type Declaration, readDeclaration } from '../conformance/protocol.ts'
import { selectedProfiles } from '../conformance/select.ts'
import type { Session } from '../conformance/session.ts'
import type { Arguments } from './arguments.ts'
import type { Command } from './command.ts'
import { EXIT, withExitCodes } from './conformance-exit.ts'
import {
  ADAPTER_HELP,
  ADAPTER_OPTIONS,
  type AdapterRun,
  readAdapterRun,
} from './conformance-options.ts'
import { print, shown } from './output.ts'

export const doctorCommand: Command = {
  options: ADAPTER_OPTIONS,
  takesProgram: true,
  help: `hookproof conformance doctor [OPTIONS] -- COMMAND: is this adapter wired up rightly?

For each scheme, puts a good, a tampered and a malformed delivery, twice and in another order, and
checks every message. Run it first; it takes a second and says what to look at.

${ADAPTER_HELP}
  --help, --version

Exit status: 0 all right, 2 a mistake in the command line, 3 a problem was found, 4 the vectors are damaged.

Example:
  hookproof conformance doctor -- python3 adapter.py`,
  run: (args, program) => withExitCodes(() => doctor(args, program)),
}

interface Finding {
  readonly name: string
  readonly problem?: string
}

async function doctor(args: Arguments, program: readonly string[]): Promise<number> {
  const adapter = await readAdapterRun(args, program)
  const findings = await examine(adapter)
  const problems = findings.filter(({ problem }) => problem !== undefined)
  print(`doctor: ${findings.length - problems.length} passed, ${problems.length} failed`)
  return problems.length === 0 ? 0 : EXIT.trouble
}

async function examine(adapter: AdapterRun): Promise<readonly Finding[]> {
  const session = await adapter.open()
  if ('complaint' in session) return [tell({ name: 'hello', problem: session.complaint })]
  const declared = readDeclaration(session.hello, adapter.suite)
  if (typeof declared === 'string') {
    await session.kill()
    return [tell({ name: 'hello', problem: declared })]
  }
  const { name, version, language } = declared.implementation
  const hello = tell({ name: `hello: ${[name, version, language].map(shown).join(', ')}` })
  const trials = await tryAll(session, declared, adapter)
  if (trials.some(({ problem }) => problem !== undefined)) {
    await session.kill()
    return [hello, ...trials]
  }
  const { stray, note } = await session.end()
  const problem = stray === undefined ? note : `a line that answers nothing: ${stray}`
  return [hello, ...trials, tell({ name: 'bye', ...(problem !== undefined && { problem }) })]
}

async function tryAll(
  session: Session,
  declared: Declaration,
  { suite, schemes, slow }: AdapterRun,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const profile of selectedProfiles(suite, declared, { schemes })) {
    const { steps, hint } = await preflight(session, suite, declared, [profile], slow)
    findings.push(...steps.map(tell))
    if (hint !== undefined) print(`hint: ${hint}`)
    // A session may be over behind a problem.
    if (steps.some(({ problem }) => problem !== undefined)) return findings
  }
  return findings
}

function tell(finding: Finding): Finding {
  const { name, problem } = finding
  print(problem === undefined ? `ok    ${name}` : `FAIL  ${name}: ${problem}`)
  return finding
}
