import type { SignedHeaders } from '../core/scheme.ts'
import type { Message } from '../testing/message.ts'
import { createPace } from '../testing/pacing.ts'
import type { Subject } from '../testing/story.ts'
import { createSigner } from '../verify.ts'
import { type Arguments, COMMON_OPTIONS, has, optionValue, wholeNumber } from './arguments.ts'
import { type Command, SENDING_SECRET_HELP } from './command.ts'
import { countValue } from './option-values.ts'
import { jsonLine, print, shown } from './output.ts'
import { type Provider, readProvider } from './providers.ts'
import { SCHEME_HELP } from './scheme.ts'
import { loadSecret } from './secrets.ts'
import { type Answer, post } from './send-request.ts'
import { ALLOW_HOST_HELP, readTargetUrl } from './target-url.ts'
import { misuse } from './usage-error.ts'

const MOST_TIMES = 1000

export const sendCommand: Command = {
  options: {
    ...COMMON_OPTIONS,
    to: 'value',
    scheme: 'value',
    times: 'value',
    parallel: 'flag',
    id: 'value',
    'header-id': 'value',
    t: 'value',
    resource: 'value',
    order: 'value',
    'allow-host': 'value',
  },
  help: `hookproof send TYPE --to URL: one signed delivery, and what is answered

TYPE is an event of the provider's, such as invoice.paid.

${SENDING_SECRET_HELP}
${SCHEME_HELP}

  --times N            the same event N times, at most ${MOST_TIMES}; each attempt is signed anew
  --parallel           all of them at the same time
  --id ID              the event's id (default: a new one); again, for the same event another day
  --header-id ID       another id in the unsigned header, as in a captured delivery sent again
  --t TIME             the time that is signed: unix seconds, or from now, as in --t=-600
  --resource ID        what the event is about, such as an invoice (default: a new one)
  --order ID           your own order's id (default: a new one)
  --json               the answers as one JSON object

${ALLOW_HOST_HELP}
  --help, --version

Exit status: 0 every answer was from 200 to 299, 1 one was not or none came, 2 nothing was sent.

Example:
  hookproof send invoice.paid --to http://127.0.0.1:8080/webhooks --times 3 --parallel`,
  run,
}

async function run(args: Arguments): Promise<number> {
  const provider = readProvider(args)
  const { file: type } = args
  checkType(type, provider)
  const to = optionValue(args, 'to')
  if (to === undefined) misuse('arguments_invalid', 'name the receiver: --to URL')
  const target = readTargetUrl(args, to)
  const times = countValue(args, 'times', { from: 1, to: MOST_TIMES }) ?? 1
  const signedAt = readTime(args)
  const change = readHeaderId(args, provider)
  const subject = readSubject(args, provider.subject(type))
  const id = readHeaderText(args, 'id')
  const message = provider.message(type, subject, { ...(id && { id }) })
  const signer = createSigner({
    secret: await loadSecret(args),
    scheme: provider.story.scheme,
  })
  const pace = createPace({ total: MOST_TIMES, perSecond: target.isLoopback ? 1000 : 20 })
  const attempt = async (): Promise<Answer> => {
    await pace()
    const { body } = message
    const signed = await signer.sign({ body, id: message.id, timestamp: signedAt() })
    return await post(target.url, change({ ...message.headers, ...signed }), body)
  }
  const answers = await attempts(times, attempt, has(args, 'parallel'))
  if (has(args, 'json')) print(jsonLine(JSON.stringify({ ...about(message, subject), answers })))
  else print(answersText(message, subject, answers))
  return answers.every(({ status = 0 }) => status >= 200 && status <= 299) ? 0 : 1
}

async function attempts(
  times: number,
  attempt: () => Promise<Answer>,
  isParallel: boolean,
): Promise<Answer[]> {
  if (isParallel) return Promise.all(Array.from({ length: times }, attempt))
  const answers: Answer[] = []
  for (let sent = 0; sent < times; sent++) answers.push(await attempt())
  return answers
}

function about({ id, type }: Message, subject: Subject) {
  return { id, type, resource: subject.id }
}

function answersText(message: Message, subject: Subject, answers: readonly Answer[]): string {
  const { id, type } = message
  return [
    `${shown(type)} ${shown(id)} about ${shown(subject.id)}`,
    ...answers.map((answer, index) => `  ${index + 1}  ${answerText(answer)}`),
  ].join('\n')
}

function answerText({ status, error, body, durationMs }: Answer): string {
  if (status === undefined) return `${error} after ${durationMs} ms`
  return `${status} in ${durationMs} ms${body === '' ? '' : `  ${shown(body ?? '')}`}`
}

function checkType(type: string, { types, example }: Provider): void {
  if (type === '-') misuse('arguments_invalid', `name the type of the event, such as ${example}`)
  if (types !== undefined && !types.includes(type)) {
    misuse('type_unknown', `no such type of event; there are ${types.join(', ')}`)
  }
  if (!/^[\w.]{1,100}$/u.test(type)) {
    misuse('type_unknown', `a type is letters, digits, dots and _, such as ${example}`)
  }
}

/** Unix seconds, or seconds from now; default: now, at each attempt. */
function readTime(args: Arguments): () => number {
  const now = () => Math.floor(Date.now() / 1000)
  const text = optionValue(args, 't')
  if (text === undefined) return now
  const [, sign, digits = ''] = /^([+-]?)(\d{1,12})$/u.exec(text) ?? []
  const seconds = wholeNumber(digits)
  if (seconds === undefined) {
    misuse('timestamp_invalid', '--t takes unix seconds, or seconds from now such as --t=-600')
  }
  return sign === '' ? () => seconds : () => now() + (sign === '-' ? -seconds : seconds)
}

/** What becomes of the headers behind the signing. */
function readHeaderId(
  args: Arguments,
  { story }: Provider,
): (headers: SignedHeaders) => SignedHeaders {
  const id = readHeaderText(args, 'header-id')
  const { idHeader } = story
  if (id === undefined) return (headers) => headers
  if (idHeader === undefined) {
    misuse('arguments_invalid', 'this provider sends no id in an unsigned header')
  }
  return (headers) => ({ ...headers, [idHeader]: id })
}

function readSubject(args: Arguments, { id, orderId }: Subject): Subject {
  return {
    id: readHeaderText(args, 'resource') ?? id,
    orderId: readHeaderText(args, 'order') ?? orderId,
  }
}

function readHeaderText(args: Arguments, name: string): string | undefined {
  const text = optionValue(args, name)
  if (text !== undefined && !/^[\x21-\x7e]{1,256}$/u.test(text)) {
    misuse('id_invalid', `--${name} takes visible ASCII characters`)
  }
  return text
}
