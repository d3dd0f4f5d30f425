import type { Command } from './command.ts'
import { copyCommand } from './conformance-copy.ts'
import { doctorCommand } from './conformance-doctor.ts'
import { expectCommand } from './conformance-expect.ts'
import { runCommand } from './conformance-run.ts'
import { misuse } from './usage-error.ts'

const LIST = `Commands:
  conformance doctor -- COMMAND  is this adapter wired up rightly?
  conformance run -- COMMAND     grades a verifier in any language against the vectors
  conformance expect -- COMMAND  the known failures, as a file
  conformance copy DIR           the vectors as files of your own repository`

/** The command of two words, by its second. */
export const conformanceCommands: ReadonlyMap<string, Command> = new Map([
  ['doctor', doctorCommand],
  ['run', runCommand],
  ['expect', expectCommand],
  ['copy', copyCommand],
])

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
