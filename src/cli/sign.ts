import { decodeUtf8 } from '../core/bytes.ts'
import { isObject, isText } from '../core/envelope.ts'
import { WebhookVerificationError } from '../core/errors.ts'
import type { SignedHeaders } from '../core/scheme.ts'
import { paymos } from '../schemes/paymos.ts'
import { createSigner } from '../verify.ts'
import { type Arguments, COMMON_OPTIONS, has, optionValue, wholeNumber } from './arguments.ts'
import { type Command, SECRET_HELP } from './command.ts'
import { readFileArgument } from './input.ts'
import { jsonLine, note, print } from './output.ts'
import { readScheme, SCHEME_HELP } from './scheme.ts'
import { loadSecrets } from './secrets.ts'
import { misuse } from './usage-error.ts'

export const signCommand: Command = {
  options: {
    ...COMMON_OPTIONS,
    scheme: 'value',
    timestamp: 'value',
    id: 'value',
    request: 'value',
  },
  help: `hookproof sign [FILE]: the headers under which a receiver accepts this body

FILE (default: standard input) holds the body; every byte counts, a last line break too.

${SECRET_HELP}
                       (several: one signature each, as during a rotation)

${SCHEME_HELP}
  --timestamp SECONDS  unix time of signing (default: now)
  --id ID              the id for a header (default for paymos: the event_id of a JSON body)
  --request URL        a whole raw HTTP request to that URL, body included
  --json               the headers as one JSON object
  --help, --version

Exit status: 0, or 2 when nothing was signed.

Example:
  hookproof sign event.json --secret-file secret.txt > headers.txt
  curl http://127.0.0.1:3000/webhooks --data-binary @event.json \\
    -H @headers.txt -H 'Content-Type: application/json; charset=utf-8'`,
  async run(args) {
    const timestamp = readTimestamp(args)
    const givenId = readId(args)
    const url = readUrl(args)
    const scheme = readScheme(args)
    const signer = createSigner({ secret: await loadSecrets(args), scheme })
    const body = await readFileArgument(args.file)
    if (body.length === 0) note('the body is empty')
    const headers = await signer
      .sign({ body, id: givenId ?? (scheme === paymos ? eventId(body) : undefined), timestamp })
      .catch(refusedByReceivers)
    if (url !== undefined) print(rawRequest(url, headers, body))
    else if (has(args, 'json')) print(jsonLine(JSON.stringify(headers)))
    else print(headerLines(headers).join('\n'))
    return 0
  },
}

/** Such as more signatures than a receiver reads. */
function refusedByReceivers(error: unknown): never {
  if (!(error instanceof WebhookVerificationError)) throw error
  misuse('arguments_invalid', `a receiver would refuse this, ${error.message}`)
}

function readTimestamp(args: Arguments): number | undefined {
  const text = optionValue(args, 'timestamp')
  if (text === undefined) return undefined
  const seconds = wholeNumber(text)
  // The longest a receiver reads is 12 digits; 13 are milliseconds.
  if (seconds === undefined || text.length > 12) {
    misuse('timestamp_invalid', '--timestamp takes unix seconds, a whole number such as 1700000000')
  }
  return seconds
}

function readId(args: Arguments): string | undefined {
  const id = optionValue(args, 'id')
  if (id !== undefined && !isHeaderValue(id)) {
    misuse('id_invalid', '--id takes visible ASCII characters, so that it fits into a header')
  }
  return id
}

function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e]{1,256}$/u.test(text)
}

/** What the provider sends as X-Webhook-Id, if the body says it. */
function eventId(body: Uint8Array): string | undefined {
  let json: unknown
  try {
    json = JSON.parse(decodeUtf8(body) ?? '')
  } catch {
    return undefined
  }
  const id = isObject(json) ? json.event_id : undefined
  if (!isText(id)) return undefined
  if (isHeaderValue(id)) return id
  note('X-Webhook-Id is left out: this event_id does not fit into a header')
  return undefined
}

function readUrl(args: Arguments): URL | undefined {
  const text = optionValue(args, 'request')
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    misuse('url_invalid', '--request takes an http or https URL')
  }
  if (url.username !== '' || url.password !== '') {
    misuse('url_invalid', '--request takes a URL without user name and password')
  }
  if (has(args, 'json')) misuse('arguments_invalid', '--request and --json exclude each other')
  return url
}

function headerLines(headers: SignedHeaders): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
}

function rawRequest(url: URL, headers: SignedHeaders, body: Uint8Array): Uint8Array {
  const head = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    // So that a plain TCP client ends with the answer.
    'Connection: close',
    ...headerLines(headers),
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(head.join('\r\n')), body])
}
