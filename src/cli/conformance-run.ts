import { writeFile } from 'node:fs/promises'
import { conform } from '../conformance/conform.ts'
import { toMarkdown } from '../conformance/markdown.ts'
import { type Arguments, has } from './arguments.ts'
import type { Command } from './command.ts'
import { reportText } from './conformance-console.ts'
import { EXIT, withExitCodes } from './conformance-exit.ts'
import { outputFile, writeOrMisuse } from './conformance-files.ts'
import {
  ADAPTER_HELP,
  ADAPTER_OPTIONS,
  readAdapterRun,
  readExpectationsOption,
  readJobs,
  readLevel,
} from './conformance-options.ts'
import { listValue } from './option-values.ts'
import { print } from './output.ts'
import { version } from './version.ts'

export const runCommand: Command = {
  options: {
    ...ADAPTER_OPTIONS,
    level: 'value',
    only: 'list',
    jobs: 'value',
    expect: 'value',
    'run-dangerous': 'flag',
    reveal: 'flag',
    json: 'value',
    md: 'value',
  },
  takesProgram: true,
  help: `hookproof conformance run [OPTIONS] -- COMMAND: grades a verifier in any language

COMMAND starts an adapter, a small program that reads one JSON line from standard input for every
case and answers with one line; vectors/README.md says how to write one. No shell reads COMMAND.

  --level LEVEL        what must agree: verdict (default), class or exact
${ADAPTER_HELP}
  --only ID            only this case, or with * at its end all whose ids begin so; may be repeated
  --jobs N             N adapters beside each other (default: 1)
  --expect FILE        an expectations file: the known failures, each with its reason
  --run-dangerous      also run what is expected to crash or to hang
  --reveal             send the ids as well, to look into one case; the report says so
  --json FILE          the report as JSON
  --md FILE            the report as Markdown
  --help, --version

Exit status: 0 all right, 1 a case failed or an expectation is not true, 2 a mistake in the command line
or in a file, 3 the adapter could not be run to the end, 4 the vectors are damaged, 5 no case was run.

Example:
  hookproof conformance run --level exact -- python3 adapter.py`,
  run: (args, program) => withExitCodes(() => run(args, program)),
}

async function run(args: Arguments, program: readonly string[]): Promise<number> {
  const level = readLevel(args)
  const jobs = readJobs(args)
  const only = listValue(args, 'only')
  const [json, markdown] = [outputFile(args, 'json'), outputFile(args, 'md')]
  const adapter = await readAdapterRun(args, program)
  const expectations = await readExpectationsOption(args, adapter.suite)
  const report = await conform({
    ...adapter,
    version: version(),
    level,
    jobs,
    only,
    expectations,
    reveal: has(args, 'reveal'),
    runDangerous: has(args, 'run-dangerous'),
  })
  await writeReport(json, () => `${JSON.stringify(report, undefined, 2)}\n`)
  await writeReport(markdown, () => toMarkdown(report))
  print(reportText(report))
  return EXIT[report.outcome]
}

async function writeReport(file: string | undefined, text: () => string): Promise<void> {
  if (file !== undefined) await writeOrMisuse('the report', () => writeFile(file, text()))
}
