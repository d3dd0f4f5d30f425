import { checkOutput, tryMaking } from '../conformance/checkup.ts'
import { checkDeclared, unknownNames } from '../conformance/declared.ts'
import { preflight } from '../conformance/preflight.ts'
import { type Declaration, readDeclaration } from '../conformance/protocol.ts'
import { selectedProfiles } from '../conformance/select.ts'
import type { Session } from '../conformance/session.ts'
import type { Step } from '../conformance/step.ts'
import type { Arguments } from './arguments.ts'
import type { Command } from './command.ts'
import { EXIT, withExitCodes } from './conformance-exit.ts'
import {
  ADAPTER_HELP,
  ADAPTER_OPTIONS,
  type AdapterRun,
  readAdapterRun,
} from './conformance-options.ts'
import { stderrLines } from './conformance-stderr.ts'
import { print, shown } from './output.ts'

export const doctorCommand: Command = {
  options: ADAPTER_OPTIONS,
  takesProgram: true,
  help: `hookproof conformance doctor [OPTIONS] -- COMMAND: is this adapter wired up rightly?

For each scheme, puts a good, a tampered and a malformed delivery, twice and in another order, and
one case of sign and mac where they are declared. Checks every message, the kinds of the output's
members, and that something is declared that can be run. Run it first; it takes a second and says
what to look at.

${ADAPTER_HELP}
  --help, --version

Exit status: 0 all right, 2 a mistake in the command line, 3 a problem was found, 4 the vectors are damaged.

Example:
  hookproof conformance doctor -- python3 adapter.py`,
  run: (args, program) => withExitCodes(() => doctor(args, program)),
}

async function doctor(args: Arguments, program: readonly string[]): Promise<number> {
  const adapter = await readAdapterRun(args, program)
  const findings = await examine(adapter)
  const problems = findings.filter(({ problem }) => problem !== undefined)
  print(`doctor: ${findings.length - problems.length} passed, ${problems.length} failed`)
  return problems.length === 0 ? 0 : EXIT.trouble
}

async function examine(adapter: AdapterRun): Promise<readonly Step[]> {
  const session = await adapter.open()
  if ('complaint' in session) return [tell({ name: 'hello', problem: session.complaint })]
  const { suite } = adapter
  const declared = readDeclaration(session.hello, suite)
  if (typeof declared === 'string') {
    await session.kill()
    return [tell({ name: 'hello', problem: declared })]
  }
  const { name, version, language } = declared.implementation
  const hello = tell({ name: `hello: ${[name, version, language].map(shown).join(', ')}` })
  for (const remark of unknownNames(declared, suite)) print(`note: ${shown(remark)}`)
  if (declared.capabilities.length === 0) {
    print('note: no capability is declared, so only cases that need none are run')
  }
  const missing = checkDeclared(declared, suite, adapter).map(tell)
  const trials = await tryAll(session, declared, adapter)
  const found = [hello, ...missing, ...trials]
  if (trials.some(({ problem }) => problem !== undefined)) {
    await session.kill()
    return found
  }
  const { stray, note } = await session.end()
  const problem = stray === undefined ? note : `a line that answers nothing: ${stray}`
  return [...found, tell({ name: 'bye', ...(problem !== undefined && { problem }) })]
}

/** What each scheme is tried with, as far as it is declared. */
async function tryAll(
  session: Session,
  declared: Declaration,
  { suite, schemes, slow }: AdapterRun,
): Promise<readonly Step[]> {
  const findings: Step[] = []
  for (const profile of selectedProfiles(suite, declared, { schemes })) {
    if (!declared.profiles.includes(profile)) continue
    const verified = await preflight(session, suite, declared, [profile], slow)
    findings.push(...[...verified.steps, ...checkOutput(verified)].map(tell))
    if (verified.hint !== undefined) print(`hint: ${verified.hint}`)
    // A session may be over behind a problem.
    if (verified.steps.some(({ problem }) => problem !== undefined)) return findings
    const made = await tryMaking(session, suite, declared, profile, slow)
    findings.push(...made.map(tell))
    if (made.some(({ problem }) => problem !== undefined)) return findings
  }
  return findings
}

function tell(step: Step): Step {
  const { name, problem, stderr } = step
  print(problem === undefined ? `ok    ${name}` : `FAIL  ${name}: ${problem}`)
  for (const line of stderrLines(stderr)) print(`      stderr: ${line}`)
  return step
}
