import { readClock, systemClock } from '../core/freshness.ts'
import { createVerifier } from '../verify.ts'
import { type Arguments, COMMON_OPTIONS, has, optionValue, wholeNumber } from './arguments.ts'
import { type Command, SECRET_HELP } from './command.ts'
import { readDelivery } from './delivery-file.ts'
import { MAX_FILE_MIB, readFileArgument } from './input.ts'
import { note, print } from './output.ts'
import type { SavedDelivery } from './saved-delivery.ts'
import { readScheme, SCHEME_HELP } from './scheme.ts'
import { loadSecrets } from './secrets.ts'
import { misuse } from './usage-error.ts'
import { verdictJson, verdictLine } from './verdict-text.ts'

export const verifyCommand: Command = {
  options: {
    ...COMMON_OPTIONS,
    scheme: 'value',
    now: 'value',
    tolerance: 'value',
    'max-body-bytes': 'value',
  },
  help: `hookproof verify [FILE]: is this saved delivery genuine, and if not, why?

FILE (default: standard input) is a raw HTTP request, or JSON { "headers", "body" }, of at
most ${MAX_FILE_MIB} MiB. In JSON, "isBase64Encoded": true or "bodyEncoding": "base64" marks a base64 body.

${SECRET_HELP}

${SCHEME_HELP}
  --now SECONDS        judge the age as of this unix time (default: the clock)
  --tolerance SECONDS  how old or new a signature may be (default: 300), or: unlimited
  --max-body-bytes N   how large a body may be (default: 1048576)
  --json               the verdict as one JSON object, its indices from 0
  --help, --version

Exit status: 0 accepted, 1 refused, 2 nothing was judged.

Example:
  hookproof verify delivery.http --secret-file secret.txt --tolerance unlimited`,
  async run(args) {
    const now = readNow(args)
    const secret = await loadSecrets(args)
    const verifier = createVerifier<unknown>({
      secret,
      scheme: readScheme(args),
      now: () => now,
      toleranceSeconds: readTolerance(args),
      maxBodyBytes: readMaxBodyBytes(args),
    })
    const delivery = readDelivery(await readFileArgument(args.file))
    if (delivery.leftOut > 0) {
      note(`left out ${delivery.leftOut} byte(s) after the end of the body`)
    }
    const verdict = await verifier.verify(delivery)
    print(
      has(args, 'json')
        ? verdictJson(verdict)
        : verdictLine(verdict, { now, secrets: secret.length }),
    )
    if (verdict.reason === 'signature_mismatch') noteDoubts(delivery)
    if (verdict.reason === 'timestamp_too_old' && !has(args, 'now') && !has(args, 'tolerance')) {
      note('a delivery saved earlier is judged with --now SECONDS or --tolerance unlimited')
    }
    return verdict.ok ? 0 : 1
  },
}

function readNow(args: Arguments): number {
  const text = optionValue(args, 'now')
  if (text === undefined) return readClock(systemClock)
  const seconds = wholeNumber(text)
  // As the library: above 1e11 it is milliseconds.
  if (seconds === undefined || seconds > 1e11) {
    misuse('now_invalid', '--now takes unix seconds, a whole number such as 1700000000')
  }
  return seconds
}

function readTolerance(args: Arguments): number | 'unlimited' | undefined {
  const text = optionValue(args, 'tolerance')
  if (text === undefined || text === 'unlimited') return text
  return (
    wholeNumber(text) ??
    misuse('tolerance_invalid', '--tolerance takes a whole number of seconds, or unlimited')
  )
}

function readMaxBodyBytes(args: Arguments): number | undefined {
  const text = optionValue(args, 'max-body-bytes')
  if (text === undefined) return undefined
  return (
    (wholeNumber(text) || undefined) ??
    misuse('limit_invalid', '--max-body-bytes takes a whole number from 1')
  )
}

/** What saving may have done to a body whose signature does not fit. */
function noteDoubts({ body, isFramed }: SavedDelivery): void {
  if (!isFramed && body.at(-1) === 0x0a) {
    note('the body ends with a line break; did an editor add it? Content-Length would tell')
  }
  if (Buffer.from(body).includes('\ufffd')) {
    note('the body holds U+FFFD, the mark of bytes that were lost when it was saved as text')
  }
}
