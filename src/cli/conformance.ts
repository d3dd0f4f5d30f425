import type { Command } from './command.ts'
import { runCommand } from './conformance-run.ts'
import { misuse } from './usage-error.ts'

const LIST = `Commands:
  conformance run -- COMMAND  grades a verifier in any language against the vectors`

/** The command of two words, by its second. */
export const conformanceCommands: ReadonlyMap<string, Command> = new Map([['run', runCommand]])

/** The first word alone. */
export const conformanceCommand: Command = {
  options: { help: 'flag', version: 'flag' },
  help: `hookproof conformance: the vectors for verifiers in any language

${LIST}

hookproof conformance COMMAND --help says more.

Example:
  hookproof conformance run --level exact -- python3 adapter.py`,
  run: async () => misuse('command_unknown', `name what to do\n\n${LIST}`),
}
