import { writeFile } from 'node:fs/promises'
import { WebhookConfigError } from '../core/errors.ts'
import { replayKit } from '../testing/kit.ts'
import type { Limits } from '../testing/pacing.ts'
import type { Report } from '../testing/report.ts'
import { type Arguments, has, optionValue } from './arguments.ts'
import { type Command, SENDING_SECRET_HELP } from './command.ts'
import { writeOrMisuse } from './conformance-files.ts'
import { countValue, listValue, oneOf } from './option-values.ts'
import { jsonLine, note, print } from './output.ts'
import { HOOK_HELP, readHooks } from './prove-hooks.ts'
import { replayOf } from './prove-replay.ts'
import { startedBy } from './prove-start.ts'
import { readProvider } from './providers.ts'
import { SCHEME_HELP } from './scheme.ts'
import { loadSecret } from './secrets.ts'
import { ALLOW_HOST_HELP, optionWords, readTargetUrl } from './target-url.ts'
import { misuse } from './usage-error.ts'

const PROOFS = ['P1', 'P2', 'P3', 'P4', 'P5']
const QUICK_ROUNDS = 5

export const proveCommand: Command = {
  options: {
    'secret-env': 'list',
    'secret-file': 'list',
    scheme: 'value',
    observe: 'value',
    'book-by-hand': 'value',
    prepare: 'value',
    settle: 'value',
    gate: 'value',
    start: 'value',
    quick: 'flag',
    mode: 'value',
    only: 'list',
    also: 'list',
    without: 'list',
    replay: 'value',
    'allow-host': 'value',
    rate: 'value',
    total: 'value',
    json: 'value',
    help: 'flag',
    version: 'flag',
  },
  help: `hookproof prove URL: does this receiver take every delivery as often as it comes, and book once?

Sends signed deliveries to URL again and again: repeats, at the same time, in any order, cut off,
after hours, forged. After each it asks --observe how often the payment is booked.

${HOOK_HELP}

  --start COMMAND      starts the receiver, kills it in the middle of its work, ends it at the end
${SENDING_SECRET_HELP}
${SCHEME_HELP}

  --quick              the five proofs alone, with fewer rounds
  --only IDS           these scenarios, such as P1,P3
  --also IDS           those that are not run by themselves: deposits, answers-first
  --without IDS        all but these
  --mode skip|real     skip leaves out the sender's waits (default); real waits, for a minute or two
  --replay SEED        makes the choices of a report with this seed again
  --json FILE          the report as JSON; - prints it, and the text goes to standard error

${ALLOW_HOST_HELP}
  --rate N             requests in a second (default: 1000, to another host 20)
  --total N            requests in all (default: 10000)
  --help, --version

Exit status: 0 all shown, 1 something failed, 2 a mistake in the set-up, 3 nothing failed and
something was not shown.

Example:
  hookproof prove http://127.0.0.1:8080/webhooks --secret-file secret.txt \\
    --observe "psql shop -Atc \\"select count(*) from parcel where invoice_id = '{id}'\\""`,
  run,
}

async function run(args: Arguments): Promise<number> {
  const ids = readIds(args)
  const url = readTarget(args)
  const chosen = readChoice(args)
  const { story } = readProvider(args)
  const secret = await loadSecret(args)
  const hooks = await readHooks(args)
  const start = optionValue(args, 'start')
  const target = start === undefined ? url : startedBy(start, url)
  const json = optionValue(args, 'json')
  const report = await inOptionWords(async () => {
    const options = { ...hooks, ...chosen, story, secret, target, replay: replayOf(args) }
    const kit = replayKit(options)
    await checkReport(json)
    return kit.run(ids)
  })
  if (json === '-') process.stderr.write(`${report.text}\n`)
  else print(report.text)
  await writeReport(json, report)
  const trouble = report.results.find(({ failure }) => failure?.isSetUp)?.failure
  if (trouble) note(`the set-up: ${trouble.cause}; ${trouble.fix}`)
  return statusOf(report)
}

function statusOf({ failed, notShown, results }: Report): number {
  if (results.some(({ failure }) => failure?.isSetUp)) return 2
  if (failed > 0) return 1
  return notShown > 0 ? 3 : 0
}

async function writeReport(file: string | undefined, report: Report): Promise<void> {
  if (file === undefined) return
  const { text, ...facts } = report
  if (file === '-') print(jsonLine(JSON.stringify(facts)))
  else await writeFileOrMisuse(file, `${JSON.stringify(facts, undefined, 2)}\n`)
}

/** Finds out before the run, which takes minutes; an older report does not outlive it. */
async function checkReport(file: string | undefined): Promise<void> {
  if (file !== undefined && file !== '-') await writeFileOrMisuse(file, '')
}

function writeFileOrMisuse(file: string, content: string): Promise<void> {
  return writeOrMisuse('the report', () => writeFile(file, content))
}

function readTarget(args: Arguments): string {
  const { file } = args
  if (file === '-') misuse('arguments_invalid', 'name the URL that deliveries go to')
  return readTargetUrl(args, file).url
}

/** Mistakes that the kit finds, in the words of the command line. */
async function inOptionWords<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof WebhookConfigError)) throw error
    throw new WebhookConfigError(error.code, optionWords(error.message))
  }
}

function readIds(args: Arguments): readonly string[] | undefined {
  const only = idsOf(args, 'only')
  const isQuick = has(args, 'quick')
  if (isQuick && only) misuse('arguments_invalid', '--quick and --only exclude each other')
  const without = idsOf(args, 'without') ?? []
  const ids = (isQuick ? PROOFS : only)?.filter((id) => !without.includes(id))
  if (ids?.length === 0) misuse('arguments_invalid', '--without leaves nothing to run')
  return ids
}

function readChoice(args: Arguments) {
  const seed = countValue(args, 'replay', { from: 0, to: 1e9 })
  return {
    mode: oneOf(args, 'mode', ['skip', 'real']) ?? 'skip',
    allowHost: optionValue(args, 'allow-host'),
    limits: {
      perSecond: countValue(args, 'rate', { from: 1, to: 1e5 }),
      total: countValue(args, 'total', { from: 1, to: 1e7 }),
    } satisfies Limits,
    also: idsOf(args, 'also'),
    without: idsOf(args, 'without'),
    ...(has(args, 'quick') && { rounds: QUICK_ROUNDS }),
    ...(seed !== undefined && { seed }),
  } as const
}

/** `--only P1 --only P3`, or `--only P1,P3`. */
function idsOf(args: Arguments, name: string): readonly string[] | undefined {
  return listValue(args, name)?.flatMap((text) => text.split(','))
}
