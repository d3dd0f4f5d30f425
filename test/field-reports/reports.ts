// What went wrong for people who verify webhooks, with any library: one row for each kind, in this
// project's words, and what answers it here.

export type Answer =
  /** A published case. */
  | { readonly vector: string }
  /** A test, by its file below test/ and its whole title. */
  | { readonly file: string; readonly title: string }
  /** A page, and a text of it. */
  | { readonly page: string; readonly text: string }
  /** The row's own data, in data.ts or written into deliveries.test.ts or frameworks.test.ts. */
  | { readonly data: 'deliveries' | 'frameworks' }
  /** Why it cannot happen here. */
  | { readonly never: string }

export interface Report {
  readonly row: number
  readonly category: 'RAW' | 'ENC' | 'HDR' | 'SEC' | 'TIM' | 'RUN' | 'TYP' | 'IDM' | 'SRV' | 'DOS'
  readonly report: string
  readonly answers: readonly Answer[]
}

const vectors = (ids: string): Answer[] => ids.split(' ').map((id) => ({ vector: `paymos/${id}` }))
const tested = (file: string, title: string): Answer => ({ file: `${file}.test.ts`, title })
const inbox = (file: string, title: string): Answer => tested(`inbox/${file}`, title)
const page = (name: string, text: string): Answer => ({ page: name, text })
const never = (reason: string): Answer => ({ never: reason })
const OWN: Answer = { data: 'deliveries' }
const LIVE: Answer = { data: 'frameworks' }

/** A check of the contract of adapters, where it is run. */
const contract = (where: keyof typeof CONTRACTS, check: string): Answer =>
  tested(CONTRACTS[where][0], `${CONTRACTS[where][1]} > ${check}`)
const CONTRACTS = {
  node: ['adapters/node', 'the contract under node:http'],
  fetch: ['adapters/web', 'the contract with hookproof/fetch, on web requests'],
  azure: ['frameworks/azure', 'the contract on Azure Functions 4 with streams'],
  elysia: ['frameworks/elysia', 'the contract on Elysia 1 on Bun'],
  express: ['frameworks/express', 'the contract on Express 5'],
  fastify: ['frameworks/fastify', 'the contract on Fastify 5'],
  gcp: ['frameworks/gcp', 'the contract on the Functions Framework of Google Cloud'],
  h3: ['frameworks/h3', 'the contract on h3 2'],
  h3v1: ['frameworks/h3', 'the contract on h3 1'],
  hono: ['frameworks/hono', 'the contract on Hono 4 on Node'],
  koa: ['frameworks/koa', 'the contract on Koa 3'],
  lambda: ['frameworks/lambda', 'the contract on Lambda behind an HTTP API'],
  lambdaV1: ['frameworks/lambda', 'the contract on Lambda behind a REST API'],
  lambdaBinary: [
    'frameworks/lambda',
    'the contract on Lambda behind a REST API with binaryMediaTypes',
  ],
  nest: ['frameworks/nest', 'the contract on Nest 11 on Express, in a controller'],
  nestUse: ['frameworks/nest', 'the contract on Nest 11 on Express, by app.use()'],
  next: ['frameworks/next', 'the contract on Next Pages Router'],
  nextApp: ['frameworks/next', 'the contract on Next App Router'],
  svelteKit: ['frameworks/sveltekit', 'the contract on SvelteKit'],
} as const

const PARSED = 'a parsed body is body_not_raw, with advice for the owner alone'
const READ = 'a body that was read before is body_already_read, with advice for the owner alone'
const KEPT = 'bytes that a parser has kept are verified: /kept'
const LARGE = 'a body of 1 MiB is read, one byte more is refused'
const GOOD = 'a good delivery gets 204 without a body, once the handler has returned'
const BYTES = 'every byte of the body arrives as it was sent'
const CHUNKS = 'a chunked body is read, even if a chunk ends inside a character'
const TYPES = 'an empty path, a query and a content type of any kind do not matter'
const SLOW = 'a slow handler is waited for'
const THROWS = 'a handler that throws an Error is answered with 5xx, without a word of it'

const DEDUPE = page('README.md', 'Dedupe on `delivery.id`')
const TRANSACTION = page(
  'SECURITY.md',
  'Dedupe on `delivery.id` in the same transaction as the work.',
)

export const REPORTS: readonly Report[] = [
  {
    row: 1,
    category: 'RAW',
    report:
      'A JSON parser for every path ran before the route, and its object was made text again.',
    answers: [contract('express', PARSED), ...vectors('bod-001 bod-006'), OWN],
  },
  {
    row: 2,
    category: 'RAW',
    report: 'A raw parser on the route was skipped, or a hook that keeps the bytes never ran.',
    answers: [
      contract(
        'express',
        'a raw parser behind the JSON parser comes too late, and the advice says so',
      ),
      contract('express', 'a media type that the JSON parser leaves alone is read behind it'),
      contract('express', KEPT),
    ],
  },
  {
    row: 3,
    category: 'RAW',
    report: 'The verifier took text alone, and bytes for something parsed.',
    answers: [tested('unit/body', 'every form of the body gives the same verdict > a Buffer'), OWN],
  },
  {
    row: 4,
    category: 'RAW',
    report: 'Bytes were put into a text template, which lists them as numbers.',
    answers: [
      tested('unit/body', 'every form of the body gives the same verdict > a Uint8Array'),
      OWN,
    ],
  },
  {
    row: 5,
    category: 'RAW',
    report: 'Raw text was quoted once more, and the tests were signed by the same wrong code.',
    answers: [
      ...vectors('rot-029'),
      tested('unit/verify', 'the provider’s official delivery > is accepted, whole'),
      OWN,
    ],
  },
  {
    row: 6,
    category: 'RAW',
    report: 'A route that parses by default dropped the bytes.',
    answers: [contract('next', PARSED), contract('next', GOOD)],
  },
  {
    row: 7,
    category: 'RAW',
    report: 'The switch of one router was put into the other, where the build refuses it.',
    answers: [contract('nextApp', GOOD), page('docs/start/next-app.md', 'app/webhook/route.ts')],
  },
  {
    row: 8,
    category: 'RAW',
    report: 'The parsed object was serialised again and hashed.',
    answers: [
      tested(
        'unit/body',
        'a body that is not raw throws body_not_raw, before anything else is judged > a parsed object',
      ),
      ...vectors('bod-003 bod-004 bod-005'),
    ],
  },
  {
    row: 9,
    category: 'RAW',
    report: 'The name of a stream was hashed in place of what it yields.',
    answers: [
      tested('unit/body', 'every form of the body gives the same verdict > a web stream'),
      tested(
        'unit/body',
        'a body that is not raw throws body_not_raw, before anything else is judged > a stream or Request on the sync face',
      ),
      OWN,
    ],
  },
  {
    row: 10,
    category: 'RAW',
    report: 'A built-in JSON parser ran, and no raw body is kept by default.',
    answers: [contract('fastify', PARSED), contract('fastify', GOOD)],
  },
  {
    row: 11,
    category: 'RAW',
    report: "Another framework's parser read the same stream, and the answer never came.",
    answers: [
      contract('fastify', 'a body parser of Express in front is answered, and told to the owner'),
    ],
  },
  {
    row: 12,
    category: 'RAW',
    report: 'Where the bytes were gone, none were verified in their place.',
    answers: [
      contract('nestUse', PARSED),
      ...vectors('bod-017 bod-020'),
      tested(
        'unit/body',
        'what frameworks leave for a request without a body > nothing: throws body_not_raw when there was one',
      ),
      OWN,
    ],
  },
  {
    row: 13,
    category: 'RAW',
    report: 'The copy of the bytes was asked for, and the parser that makes it switched off.',
    answers: [contract('nest', KEPT), contract('nestUse', PARSED), contract('nestUse', READ)],
  },
  {
    row: 14,
    category: 'RAW',
    report: 'A second reader came to a stream that a parser had drained.',
    answers: [contract('koa', KEPT), contract('koa', PARSED)],
  },
  {
    row: 15,
    category: 'RAW',
    report: 'The handler waited for the end of a stream that had ended before.',
    answers: [
      tested(
        'adapters/node',
        'what a parser has left of the body > a stream that was read: 500, and body_already_read is reported',
      ),
      LIVE,
    ],
  },
  {
    row: 16,
    category: 'RAW',
    report: 'A drained stream ended the process.',
    answers: [
      tested('adapters/node', 'an error > else to the console, and the server goes on'),
      contract('express', READ),
    ],
  },
  {
    row: 17,
    category: 'RAW',
    report: 'The platform had parsed the body, and kept its bytes beside it.',
    answers: [contract('gcp', GOOD), contract('gcp', BYTES)],
  },
  {
    row: 18,
    category: 'RAW',
    report: 'The kept buffer was itself turned to JSON.',
    answers: [contract('gcp', GOOD), OWN],
  },
  {
    row: 19,
    category: 'RAW',
    report: 'A library insisted on a stream that the platform had read, and kept.',
    answers: [
      tested(
        'adapters/node',
        'what a parser has left of the body > a parsed body beside its bytes as rawBody: accepted',
      ),
      contract('express', KEPT),
    ],
  },
  {
    row: 20,
    category: 'RAW',
    report: 'A deployed function gets its body in base64, a local one as text.',
    answers: [
      contract('lambda', BYTES),
      contract('lambdaV1', BYTES),
      contract('lambdaBinary', BYTES),
      OWN,
    ],
  },
  {
    row: 21,
    category: 'RAW',
    report: 'A middleware put a parsed object in place of the event’s body.',
    answers: [LIVE, page('docs/start/lambda.md', '**take it off this function**')],
  },
  {
    row: 22,
    category: 'RAW',
    report: 'An event of one platform was passed to the helper for another.',
    answers: [LIVE],
  },
  {
    row: 23,
    category: 'RAW',
    report: 'An authoriser has to judge, and is shown no body.',
    answers: [LIVE, page('docs/start/lambda.md', 'verify in the function behind it')],
  },
  {
    row: 24,
    category: 'RAW',
    report: 'The host put line breaks into JSON before the function saw it.',
    answers: [contract('azure', BYTES), ...vectors('bod-001 bod-002 bod-003'), OWN],
  },
  {
    row: 25,
    category: 'RAW',
    report: 'Of a parsed body and its text, the parsed one was taken.',
    answers: [contract('azure', GOOD), LIVE],
  },
  {
    row: 26,
    category: 'RAW',
    report: 'A part of the body was taken for the whole.',
    answers: [
      contract('node', CHUNKS),
      contract(
        'node',
        'a client that goes away in the middle of its body is not believed, and harms nobody',
      ),
    ],
  },
  {
    row: 27,
    category: 'RAW',
    report: 'Of a reader that parses and one that does not, the first was called.',
    answers: [contract('h3', BYTES), contract('h3v1', BYTES), contract('h3v1', PARSED)],
  },
  {
    row: 28,
    category: 'RAW',
    report: 'A property with the raw body vanished from a framework.',
    answers: [contract('svelteKit', GOOD)],
  },
  {
    row: 29,
    category: 'RAW',
    report: 'A raw body that nobody had kept was called bad JSON.',
    answers: [
      tested(
        'unit/body',
        'what frameworks leave for a request without a body > nothing: throws body_not_raw when there was one',
      ),
      tested(
        'unit/verify',
        'a refusal > of a signature says how many bytes there were, and whether they may be lost or packed',
      ),
      contract('express', PARSED),
      OWN,
    ],
  },
  {
    row: 30,
    category: 'ENC',
    report: 'Text beyond ASCII was hashed in another encoding than it was sent in.',
    answers: [...vectors('bod-042 bod-043 bod-044'), contract('node', BYTES), OWN],
  },
  {
    row: 31,
    category: 'ENC',
    report: 'Chunks were made text one by one, and a character lay on their border.',
    answers: [contract('node', CHUNKS), contract('nextApp', CHUNKS), OWN],
  },
  {
    row: 32,
    category: 'ENC',
    report: 'An escaped line separator came out of the parser as itself.',
    answers: [...vectors('bod-039 bod-042'), OWN],
  },
  {
    row: 33,
    category: 'ENC',
    report: 'Escaped markup came out of the parser as itself, so that only a ping verified.',
    answers: [...vectors('bod-039 bod-042'), OWN],
  },
  {
    row: 34,
    category: 'ENC',
    report: 'Escapes of accented letters were decoded before the hash.',
    answers: [...vectors('bod-038 bod-039 bod-042'), OWN],
  },
  {
    row: 35,
    category: 'ENC',
    report: 'Escaped slashes lost their backslash, and were escaped again by hand.',
    answers: [...vectors('bod-042'), OWN],
  },
  {
    row: 36,
    category: 'ENC',
    report: 'Only events with a number such as 136.0 failed.',
    answers: [...vectors('bod-045 bod-046'), OWN],
  },
  {
    row: 37,
    category: 'ENC',
    report: 'Numbers above 2^53 were rounded, and used as ids.',
    answers: [...vectors('env-091 env-014'), OWN],
  },
  {
    row: 38,
    category: 'ENC',
    report: 'Blanks and tabs inside an object were lost by a parser and a serialiser.',
    answers: [...vectors('bod-001 bod-009'), OWN],
  },
  {
    row: 39,
    category: 'ENC',
    report: 'A body that is no UTF-8 was carried as text, so that two bodies had one signature.',
    answers: [...vectors('bod-028 bod-029 bod-033'), OWN],
  },
  {
    row: 40,
    category: 'ENC',
    report: 'An empty body, rightly signed, ended in an error of the JSON parser.',
    answers: [...vectors('bod-018 bod-019 ord-021'), OWN],
  },
  {
    row: 41,
    category: 'ENC',
    report: 'The sender began to compress, and had signed what it compressed.',
    answers: [
      ...vectors('bod-048'),
      contract('express', 'a compressed body that a parser unpacked is not what was signed'),
      contract(
        'node',
        'a compressed body is the bytes that came: they are signed, and are no JSON',
      ),
      OWN,
    ],
  },
  {
    row: 42,
    category: 'ENC',
    report: 'The content type was compared as a whole, and a charset stood behind it.',
    answers: [contract('express', TYPES), contract('node', TYPES)],
  },
  {
    row: 43,
    category: 'ENC',
    report: 'One serialisation was signed, and another was sent.',
    answers: [OWN],
  },
  {
    row: 44,
    category: 'ENC',
    report: 'The body was read as text and encoded again.',
    answers: [
      contract('fetch', BYTES),
      contract(
        'fetch',
        'body_not_utf8 is answered with 422 and its stage, once onRejected has returned',
      ),
    ],
  },
  {
    row: 45,
    category: 'HDR',
    report: 'A blank came behind the commas of the header.',
    answers: [...vectors('hdr-013 hdr-014 hdr-015'), OWN],
  },
  {
    row: 46,
    category: 'HDR',
    report: 'The name of the header was looked up in one spelling.',
    answers: [
      ...vectors('hdr-055 hdr-056 hdr-057 hdr-063'),
      contract('node', 'header names in any case are read'),
      contract('lambdaV1', 'header names in any case are read'),
      contract('lambda', 'header names in any case are read'),
      tested('unit/headers', 'repeated lines are joined in order > names in several cases'),
      OWN,
    ],
  },
  {
    row: 47,
    category: 'HDR',
    report: 'A proxy let the header fall, and it was called a wrong signature.',
    answers: [...vectors('hdr-004 hdr-005'), OWN],
  },
  {
    row: 48,
    category: 'HDR',
    report: 'Of two signatures, the second was glued to the first.',
    answers: [...vectors('rot-006 rot-007'), OWN],
  },
  {
    row: 49,
    category: 'HDR',
    report: 'The header was made a record, in which one signature is left.',
    answers: [...vectors('rot-006 rot-007 hdr-003 rot-021'), OWN],
  },
  {
    row: 50,
    category: 'HDR',
    report: 'One letter beyond ASCII in the header was answered with 500.',
    answers: [...vectors('sig-024 sig-025'), OWN],
  },
  {
    row: 51,
    category: 'HDR',
    report: 'A blank behind a prefix, or base64 in place of hex, was called a wrong signature.',
    answers: [...vectors('hdr-022 sig-022'), OWN],
  },
  {
    row: 52,
    category: 'HDR',
    report: "An emulator sent another provider's header.",
    answers: [...vectors('hdr-053 hdr-074'), OWN],
  },
  {
    row: 53,
    category: 'HDR',
    report: 'The name of the header was an option, with a blank at its end.',
    answers: [
      never('the name of the header belongs to the scheme, and there is no such option'),
      OWN,
    ],
  },
  {
    row: 54,
    category: 'HDR',
    report: 'Of two times, who counts the first and who counts the last do not agree.',
    answers: [
      ...vectors('hdr-033 hdr-034 hdr-035 hdr-036 hdr-064 hdr-067'),
      contract('node', 'two signature lines are joined, so that two whole ones are refused'),
      OWN,
    ],
  },
  {
    row: 55,
    category: 'HDR',
    report: 'A request without a signature was accepted.',
    answers: [...vectors('hdr-004 hdr-009 hdr-031 sig-010'), OWN],
  },
  {
    row: 56,
    category: 'HDR',
    report: 'A header name with underscores never arrived, or stood for one with dashes.',
    answers: [...vectors('hdr-073 hdr-075'), OWN],
  },
  {
    row: 57,
    category: 'SEC',
    report: 'The secret was copied with a blank or a line break.',
    answers: [
      tested('unit/options', 'a line break behind the secret > throws when a verifier is made'),
      tested('unit/options', 'a blank before the secret > throws when a verifier is made'),
      OWN,
    ],
  },
  {
    row: 58,
    category: 'SEC',
    report: 'The secret was read from a file, which ends in a line break.',
    answers: [
      page('README.md', "readFileSync(path, 'utf8').trim()"),
      tested('unit/options', 'a line break behind the secret > throws when a verifier is made'),
      tested('cli/secrets', 'one bad secret among good ones is named by its place'),
      OWN,
    ],
  },
  {
    row: 59,
    category: 'SEC',
    report: 'A shell or a compose file took a dollar sign in the secret for a variable.',
    answers: [page('docs/troubleshooting.md', '`$`'), OWN],
  },
  {
    row: 60,
    category: 'SEC',
    report: 'The secret was stored with a version in front of it.',
    answers: [
      tested('unit/options', 'a version before the prefix > throws when a verifier is made'),
      OWN,
    ],
  },
  {
    row: 61,
    category: 'SEC',
    report: 'A mistyped secret decoded to no key at all, which anybody has.',
    answers: [
      ...vectors('sec-001'),
      tested('unit/schemes', 'standardWebhooks > not base64 is no secret'),
      tested('unit/options', 'only a prefix > throws when a verifier is made'),
      OWN,
    ],
  },
  {
    row: 62,
    category: 'SEC',
    report: 'One side took the text of the secret as the key, the other decoded it.',
    answers: [...vectors('sec-010 sec-011 sec-012 sec-013'), OWN],
  },
  {
    row: 63,
    category: 'SEC',
    report: 'A tunnel for development signs with a secret of its own.',
    answers: [...vectors('rot-028'), page('docs/troubleshooting.md', 'tunnel'), OWN],
  },
  {
    row: 64,
    category: 'SEC',
    report: 'Two endpoints had each the secret of the other.',
    answers: [...vectors('rot-022'), OWN],
  },
  {
    row: 65,
    category: 'SEC',
    report: 'Two environments deliver to one address, and a refusal seemed to come by chance.',
    answers: [
      ...vectors('rot-027 rot-028'),
      contract('node', 'deliveries at the same time are each handled once, with their own answer'),
      OWN,
    ],
  },
  {
    row: 66,
    category: 'SEC',
    report: 'The secret was not set, or another key was given for it.',
    answers: [
      tested('unit/options', 'an undefined secret > throws when a verifier is made'),
      tested('unit/options', 'a number > throws when a verifier is made'),
      OWN,
    ],
  },
  {
    row: 67,
    category: 'SEC',
    report: 'Subscriptions of another kind are signed with another key.',
    answers: [...vectors('rot-003 rot-023'), OWN],
  },
  {
    row: 68,
    category: 'SEC',
    report: 'The sender went on with the old secret for a while.',
    answers: [...vectors('rot-003 rot-022'), OWN],
  },
  {
    row: 69,
    category: 'SEC',
    report: 'The verifier took one secret, so that every rotation lost deliveries.',
    answers: [
      ...vectors('rot-001 rot-002 rot-004 rot-024'),
      contract('node', 'the second of two signatures and the second of two secrets count'),
      OWN,
    ],
  },
  {
    row: 70,
    category: 'SEC',
    report: 'A new secret was set, and the running process had the old one.',
    answers: [
      tested(
        'unit/options',
        'options that are passed again > are read anew, and prepared anew when secret, scheme or engine changed',
      ),
      page('docs/troubleshooting.md', 'restart'),
      page('docs/start/lambda.md', 'a new secret needs a new version'),
      OWN,
    ],
  },
  {
    row: 71,
    category: 'SEC',
    report: 'Without a secret nothing was checked, or the empty key was used.',
    answers: [...vectors('sec-001 sec-002 sec-003 sec-004 sec-005 ord-001'), OWN],
  },
  {
    row: 72,
    category: 'TIM',
    report: 'The header counts seconds, and the clock milliseconds.',
    answers: [
      ...vectors('tim-045 sig-038'),
      tested('unit/options', 'the clock > that gives milliseconds throws now_invalid at the call'),
      OWN,
    ],
  },
  {
    row: 73,
    category: 'TIM',
    report: 'A time far ahead was accepted.',
    answers: [...vectors('tim-001 tim-002 tim-003 tim-004'), OWN],
  },
  {
    row: 74,
    category: 'TIM',
    report: 'A sender whose clock is a second ahead was refused.',
    answers: [...vectors('tim-003 tim-017'), OWN],
  },
  {
    row: 75,
    category: 'TIM',
    report: 'A time that is no number switched the check off.',
    answers: [...vectors('tim-034 tim-035 tim-037 tim-038'), OWN],
  },
  {
    row: 76,
    category: 'TIM',
    report: 'A time of hundreds of digits was answered with 500.',
    answers: [...vectors('tim-021 tim-023 tim-024 tim-025 tim-028 tim-031 tim-032 tim-058'), OWN],
  },
  {
    row: 77,
    category: 'TIM',
    report: 'Stored deliveries could not be verified later.',
    answers: [
      ...vectors('tim-010'),
      tested('unit/options', 'the tolerance > at 2700000000 with unlimited gives undefined'),
      OWN,
    ],
  },
  {
    row: 78,
    category: 'TIM',
    report: 'A queue stood before the verifier, and made good deliveries old.',
    answers: [page('docs/troubleshooting.md', 'now: () => receivedAt'), OWN],
  },
  {
    row: 79,
    category: 'TIM',
    report: 'A retry came with the signature of the first attempt.',
    answers: [...vectors('tim-059 eid-014'), OWN],
  },
  {
    row: 80,
    category: 'TIM',
    report: 'The time was not signed, so that a replay could carry a new one.',
    answers: [...vectors('tim-006 hdr-059 hdr-061 sig-034'), OWN],
  },
  {
    row: 81,
    category: 'TIM',
    report: 'A tolerance of 0 meant the default.',
    answers: [
      ...vectors('tim-007 tim-008 tim-009 tim-013'),
      tested('unit/options', 'a tolerance of null > throws when a verifier is made'),
      OWN,
    ],
  },
  {
    row: 82,
    category: 'TIM',
    report: 'The clock of a virtual machine stood still while its host slept.',
    answers: [...vectors('tim-004'), page('docs/troubleshooting.md', 'slept'), OWN],
  },
  {
    row: 83,
    category: 'TIM',
    report: 'A delivery stays valid for nearly twice the tolerance, and its id was kept for less.',
    answers: [
      inbox(
        'upkeep',
        'purge > takes the bodies of what was settled 30 days ago, and rows after 400',
      ),
      TRANSACTION,
      ...vectors('tim-001 tim-003'),
      OWN,
    ],
  },
  {
    row: 84,
    category: 'RUN',
    report: 'The call without a promise does not work where the HMAC is asynchronous.',
    answers: [
      tested(
        'runtimes/runtimes',
        'every vector passes on the built package, in every way it can be called, in > workerd',
      ),
      tested(
        'unit/options',
        'an engine that is not what it says > an async one on the sync face is refused when the verifier or signer is made',
      ),
    ],
  },
  {
    row: 85,
    category: 'RUN',
    report: 'The deployed program got another build of the package than the tests.',
    answers: [
      page('docs/architecture.md', 'There are no runtime conditions in `exports`'),
      tested('consumers/consumers', 'a program run by > Bun'),
      tested('consumers/consumers', 'a bundle by > webpack'),
      OWN,
    ],
  },
  {
    row: 86,
    category: 'RUN',
    report: 'One call advised another that cannot work there either.',
    answers: [
      tested(
        'runtimes/runtimes',
        'every vector passes on the built package, in every way it can be called, in > Deno',
      ),
      tested(
        'runtimes/runtimes',
        'every vector passes on the built package, in every way it can be called, in > workerd',
      ),
    ],
  },
  {
    row: 87,
    category: 'RUN',
    report: 'The helper that signs for tests worked in one runtime.',
    answers: [
      ...vectors('sgn-001 sgn-003'),
      tested(
        'runtimes/runtimes',
        'every vector passes on the built package, in every way it can be called, in > Deno',
      ),
      OWN,
    ],
  },
  {
    row: 88,
    category: 'RUN',
    report: 'A global or a module of Node was used where there is none.',
    answers: [
      tested(
        'package/bundle',
        'importing hookproof > works where there is nothing but ECMAScript, and adds no global',
      ),
      tested('package/bundle', 'dist/index.js > takes no global of one runtime'),
      tested(
        'runtimes/runtimes',
        'every vector passes on the built package, in every way it can be called, in > QuickJS',
      ),
    ],
  },
  {
    row: 89,
    category: 'RUN',
    report: 'The constant-time comparison throws for another length.',
    answers: [...vectors('sig-006 sig-009 sig-013 sig-015 sig-027'), OWN],
  },
  {
    row: 90,
    category: 'RUN',
    report: 'Characters were counted before bytes were compared.',
    answers: [...vectors('sig-024 sig-025'), OWN],
  },
  {
    row: 91,
    category: 'RUN',
    report: 'Bytes of another realm were taken for a parsed object.',
    answers: [
      tested(
        'unit/body',
        'every form of the body gives the same verdict > a Uint8Array of another realm',
      ),
      tested('consumers/consumers', 'a project that tests with > jest'),
      OWN,
    ],
  },
  {
    row: 92,
    category: 'RUN',
    report: 'WebCrypto refused a buffer of another realm.',
    answers: [
      tested(
        'unit/body',
        'every form of the body gives the same verdict > an ArrayBuffer of another realm',
      ),
      OWN,
    ],
  },
  {
    row: 93,
    category: 'RUN',
    report: 'After the verification nobody else could read the body.',
    answers: [contract('hono', `${KEPT}/json`), contract('hono', READ), LIVE],
  },
  {
    row: 94,
    category: 'RUN',
    report: 'The body could be read again on one server, and not on the other.',
    answers: [contract('h3', GOOD), contract('h3v1', GOOD), LIVE],
  },
  {
    row: 95,
    category: 'RUN',
    report: 'There was no global crypto on an old Node.',
    answers: [OWN],
  },
  {
    row: 96,
    category: 'RUN',
    report: 'A page on plain http has no WebCrypto, and the error spoke of something else.',
    answers: [
      tested(
        'unit/engines',
        'a runtime > without any crypto says engine_unavailable and names hookproof/sync',
      ),
      tested(
        'runtimes/runtimes',
        'every vector passes on the built package, in every way it can be called, in > Chromium page on plain http',
      ),
    ],
  },
  {
    row: 97,
    category: 'RUN',
    report: 'A bundler for phones found a module of Node in the package.',
    answers: [
      tested(
        'package/bundle',
        'dist/index.js > names a built-in module only to ask whether the runtime has it',
      ),
      tested(
        'package/bundle',
        'dist/sync.js > imports nothing but chunks beside it, and requires nothing',
      ),
      tested('consumers/consumers', 'a bundle by > webpack'),
    ],
  },
  {
    row: 98,
    category: 'RUN',
    report: 'A check of origins refused the request before the handler saw it.',
    answers: [
      contract('svelteKit', GOOD),
      tested('frameworks/sveltekit', 'SvelteKit refuses forms, unless told otherwise'),
      tested('frameworks/astro', 'Astro refuses forms and what has no type, unless told otherwise'),
      page('docs/troubleshooting.md', 'a check of origins'),
    ],
  },
  {
    row: 99,
    category: 'TYP',
    report: 'A module, or a name in it, was not found in one of the two module formats.',
    answers: [
      tested(
        'package/tarball',
        'a project that installed it > loads every subpath in both formats',
      ),
      tested(
        'package/publint',
        'the types of every subpath resolve for ES modules, CommonJS and bundlers',
      ),
      tested(
        'unit/verify',
        'the errors > are told apart by name, across copies of the package and realms',
      ),
    ],
  },
  {
    row: 100,
    category: 'TYP',
    report: 'The build for a server did not find a name that development found.',
    answers: [
      tested('consumers/consumers', 'a bundle by > Vite'),
      tested('consumers/consumers', 'a bundle by > Vite, for a server'),
    ],
  },
  {
    row: 101,
    category: 'TYP',
    report: 'Typed arrays became generic, and a buffer no longer fitted.',
    answers: [
      tested('types/types', 'with Node, uses compile and misuses are refused'),
      tested('types/types', 'with the DOM, uses compile and misuses are refused'),
      tested('consumers/consumers', 'types, with TypeScript 5.5 and > nodenext'),
      tested('consumers/consumers', 'types, with TypeScript 7.0 and > nodenext'),
    ],
  },
  {
    row: 102,
    category: 'TYP',
    report: 'The type of a header, one of several or none, was not accepted.',
    answers: [
      tested('types/types', 'with Node, uses compile and misuses are refused'),
      tested('unit/headers', 'one value, in every form of headers > a record with a list of lines'),
      OWN,
    ],
  },
  {
    row: 103,
    category: 'TYP',
    report: 'Header and body are both text, and changed places.',
    answers: [
      never('body and headers have names, and headers are no text'),
      ...vectors('hdr-054'),
      tested('unit/headers', 'what is no set of headers throws headers_invalid > text'),
      OWN,
    ],
  },
  {
    row: 104,
    category: 'IDM',
    report: 'Two deliveries at once both looked before either had stored.',
    answers: [
      inbox('adapter', 'two identical deliveries at once over sockets are recorded once'),
      TRANSACTION,
    ],
  },
  {
    row: 105,
    category: 'IDM',
    report: 'An event was marked as done, and its work had failed.',
    answers: [
      inbox(
        'worker',
        'an attempt > that fails leaves nothing behind, and is made again after the backoff',
      ),
      contract('node', THROWS),
      contract('node', 'the same delivery sent twice is handled twice'),
      TRANSACTION,
    ],
  },
  {
    row: 106,
    category: 'IDM',
    report: 'An event was marked before the work, and the process ended between the two.',
    answers: [
      inbox('guarantees', 'a process that fails > claimed, and the process dies'),
      TRANSACTION,
    ],
  },
  {
    row: 107,
    category: 'IDM',
    report: 'Every attempt has another id in its header.',
    answers: [
      inbox('receive', 'a delivery > is recorded once, and a duplicate ever after, settled or not'),
      DEDUPE,
      ...vectors('hdr-084 eid-014'),
    ],
  },
  {
    row: 108,
    category: 'IDM',
    report: "The attempt's id was preferred to the event's.",
    answers: [
      inbox(
        'adapter',
        'an id header that differs from the signed id is told, and so is which secret matched',
      ),
      DEDUPE,
      ...vectors('hdr-084'),
    ],
  },
  {
    row: 109,
    category: 'IDM',
    report: 'Two endpoints shared one list of ids, or the clock was used as one.',
    answers: [
      inbox(
        'tables',
        'PostgreSQL > two providers share a database by prefixes, and one of them by a schema',
      ),
      inbox('adapter', 'with an inbox, the answer > is 422 for a delivery that nothing identifies'),
      DEDUPE,
      ...vectors('env-006 env-016'),
    ],
  },
  {
    row: 110,
    category: 'IDM',
    report: 'The hash of the body was used as the id.',
    answers: [
      inbox(
        'receive',
        'a delivery > with a known id and another body is a duplicate that is told of',
      ),
      DEDUPE,
      ...vectors('eid-014 eid-015'),
    ],
  },
  {
    row: 111,
    category: 'IDM',
    report: 'An older event came after a newer one, and was written over it.',
    answers: [
      inbox('worker', 'once and advance > advance knows the order of the types of Paymos'),
      ...vectors('tim-059 tim-060'),
      page('README.md', '`{ scheme, id, idSigned, type, occurredAt, resource, items }`'),
    ],
  },
  {
    row: 112,
    category: 'IDM',
    report: 'The guard against older events read and wrote in two steps.',
    answers: [
      inbox(
        'stores',
        'in memory > memoryStore: the greater of final, time and rank is the state of a resource',
      ),
      TRANSACTION,
    ],
  },
  {
    row: 113,
    category: 'IDM',
    report: 'Ids were forgotten before the sender had stopped to try again.',
    answers: [
      inbox(
        'guarantees',
        'an id that was purged is a new delivery when it is resent, and the till still knows it',
      ),
      TRANSACTION,
    ],
  },
  {
    row: 114,
    category: 'IDM',
    report: 'A captured delivery was sent many times within the tolerance.',
    answers: [
      inbox(
        'receive',
        'a delivery of another scheme > whose id is not signed is refused as a mistake, unless it is said to be known',
      ),
      page('SECURITY.md', '**Replays within the tolerance.**'),
      DEDUPE,
      ...vectors('hdr-084'),
    ],
  },
  {
    row: 115,
    category: 'IDM',
    report: 'A slow answer brought twenty copies at once.',
    answers: [
      inbox('receive', 'a delivery > that comes 64 times at once is recorded once'),
      TRANSACTION,
    ],
  },
  {
    row: 116,
    category: 'SRV',
    report: 'The work went on behind the answer, and the process was stopped.',
    answers: [
      contract('fetch', SLOW),
      contract('lambda', SLOW),
      contract('nextApp', SLOW),
      contract('fetch', GOOD),
    ],
  },
  {
    row: 117,
    category: 'SRV',
    report: 'A claim outlived the process that had made it.',
    answers: [
      inbox(
        'worker',
        "a lease > that ran out is another worker's: the first is cancelled, or fenced if it goes on",
      ),
      TRANSACTION,
    ],
  },
  {
    row: 118,
    category: 'SRV',
    report: 'A retry had the signature of the first attempt, and a body with one field changed.',
    answers: [
      ...vectors('bod-015 sig-039'),
      tested(
        'unit/verify',
        'a refusal > of a signature says how many bytes there were, and whether they may be lost or packed',
      ),
      // A digest of the body would let whoever reads a log confirm a guess at what it held.
      never(
        'a refusal tells the number of bytes; no digest, which is as good as the body to guess',
      ),
      OWN,
    ],
  },
  {
    row: 119,
    category: 'DOS',
    report: 'A body without end was read before the header was looked at.',
    answers: [
      contract('node', 'an endless body is cut at the largest size'),
      contract('node', 'a wrong header is refused before the body has come'),
      ...vectors('lim-028 ord-016'),
    ],
  },
  {
    row: 120,
    category: 'DOS',
    report: 'The work grew with the number of signatures.',
    answers: [...vectors('lim-015 lim-019 lim-020'), OWN],
  },
  {
    row: 121,
    category: 'DOS',
    report: 'The answer told the signature it had expected.',
    answers: [
      contract(
        'node',
        'signature_mismatch is answered with 401 and its stage, once onRejected has returned',
      ),
      OWN,
    ],
  },
  {
    row: 122,
    category: 'DOS',
    report: 'A parser with a low limit refused honest events.',
    answers: [contract('express', LARGE), contract('fastify', LARGE), ...vectors('lim-027')],
  },
]
