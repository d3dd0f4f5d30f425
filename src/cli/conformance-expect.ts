import { writeFile } from 'node:fs/promises'
import { conform } from '../conformance/conform.ts'
import { NO_EXPECTATIONS } from '../conformance/expectations.ts'
import { summaryLine } from '../conformance/markdown.ts'
import { updateExpectations } from '../conformance/update-expectations.ts'
import { type Arguments, has } from './arguments.ts'
import type { Command } from './command.ts'
import { EXIT, withExitCodes } from './conformance-exit.ts'
import { outputFile, writeOrMisuse } from './conformance-files.ts'
import {
  ADAPTER_HELP,
  ADAPTER_OPTIONS,
  parseExpectations,
  readAdapterRun,
  readJobs,
  readLevel,
  readText,
} from './conformance-options.ts'
import { note, print } from './output.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'

export const expectCommand: Command = {
  options: {
    ...ADAPTER_OPTIONS,
    level: 'value',
    jobs: 'value',
    'run-dangerous': 'flag',
    write: 'value',
  },
  takesProgram: true,
  help: `hookproof conformance expect [OPTIONS] -- COMMAND: the known failures, as a file

Runs the cases and prints an expectations file under which nothing is red. Comments stay, and lines
that are still true; one with * that is true of some cases is written out for these. A case that fails
in another way gets a new line. Give each new line a reason of your own.

  --write FILE         read FILE, if it is there, and write the new one
  --level LEVEL        what must agree: verdict (default), class or exact
${ADAPTER_HELP}
  --jobs N             N adapters beside each other (default: 1)
  --run-dangerous      also run what is expected to crash or to hang
  --help, --version

Exit status: 0 the file is written, 1 something is left that no file may excuse, 2 a mistake in the command line
or in the file, 3 the adapter could not be run to the end, 4 the vectors are damaged, 5 no case was run.

Example:
  hookproof conformance expect --write conformance.expect -- python3 adapter.py`,
  run: (args, program) => withExitCodes(() => expect(args, program)),
}

async function expect(args: Arguments, program: readonly string[]): Promise<number> {
  const [level, jobs, file] = [readLevel(args), readJobs(args), outputFile(args, 'write')]
  const adapter = await readAdapterRun(args, program)
  const previous = file === undefined ? undefined : await textIfThere(file)
  const before =
    previous === undefined ? NO_EXPECTATIONS : parseExpectations(previous, adapter.suite)
  const options = { ...adapter, version: version(), level, jobs }
  const runDangerous = has(args, 'run-dangerous')
  const report = await conform({ ...options, expectations: before, runDangerous })
  if (report.outcome === 'trouble') {
    note(`the run ended early, and no file was written: ${report.trouble}`)
    return EXIT.trouble
  }
  const text = updateExpectations(previous, report, adapter.suite)
  if (file === undefined) print(text.trimEnd())
  else await writeOrMisuse('the expectations file', () => writeFile(file, text))
  const left = report.cases.filter(({ status }) => status === 'protocol_error')
  for (const { id, got } of left)
    note(`${id} stays red, a protocol error cannot be expected: ${got}`)
  if (file !== undefined) print(summaryLine(report))
  if (report.outcome === 'nothing_run') return EXIT.nothing_run
  return left.length > 0 ? EXIT.failed : EXIT.passed
}

async function textIfThere(file: string): Promise<string | undefined> {
  try {
    return await readText(file)
  } catch (error) {
    if (error instanceof UsageError && error.message.endsWith('there is no such file'))
      return undefined
    throw error
  }
}
