import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSigner } from '../../dist/index.js'
import { blocksOf, ROOT } from '../docs/blocks.ts'
import { BODY } from '../fixtures.ts'
import { leftOut } from '../requirements.ts'
import { startProgram } from '../runtimes/host/processes.js'

// What a page of docs/start promises, checked on its own program.

/**
 * The secret that documented code finds in its environment: base64, as one of the providers wants
 * it.
 */
export const SECRET = Buffer.from('test_only_documented_key').toString('base64')

/** For a documented program; one that listens takes any free port. */
export const ENVIRONMENT = {
  ...process.env,
  // Whoever tries a page has set none, and some frameworks show more then.
  NODE_ENV: undefined,
  WEBHOOK_SECRET: SECRET,
  HOST: '127.0.0.1',
  PORT: '0',
  NO_COLOR: '1',
}

/** The delivery of which documented programs print a line. */
export const PAID = JSON.stringify({
  ...JSON.parse(BODY),
  data: { invoice_id: 'inv_1', order: { amount: '1.00' } },
})
export const PRINTED_FOR_PAID = 'inv_1 is paid, dedupe on evt_1'

export interface Expected {
  readonly secret?: string
  /** The answer to PUT: 404 where a route is for POST alone. */
  readonly put?: number
  /** A server for development shows the sender what went wrong in the code, or ends with it. */
  readonly tells?: true
}

/** A delivery that makes the handlers of pages throw: nothing can be told of its invoice. */
const THROWING = JSON.stringify({
  ...JSON.parse(BODY),
  data: { invoice_id: { toString: null, valueOf: null } },
})

/**
 * What every page promises: 204 for a good delivery, a refusal with its stage, no other method than
 * POST, and a line about each refusal.
 */
export async function expectReceiver(
  send: (init: RequestInit) => Promise<Response>,
  printed: () => string,
  { secret = SECRET, put = 405 }: Expected = {},
): Promise<void> {
  const post = (headers: object) => send(postOf(headers, PAID))
  const forged = await createSigner({ secret: 'test_only_forged' }).sign({ body: PAID })
  expect((await post(await createSigner({ secret }).sign({ body: PAID }))).status).toBe(204)
  expect(await (await post(forged)).text()).toBe('{"error":"signature"}')
  expect((await post({})).status).toBe(400)
  expect((await send({ method: 'PUT', body: '' })).status).toBe(put)
  await expect.poll(printed).toMatch(/refused: signature_mismatch .*refused: header_missing /su)
}

/** A throw in the page's own code is answered with 5xx, without a word of it. */
async function expectDiscretion(
  send: (init: RequestInit) => Promise<Response>,
  secret: string,
): Promise<void> {
  const headers = await createSigner({ secret }).sign({ body: THROWING })
  const failed = await send(postOf(headers, THROWING))
  expect(failed.status).toBeGreaterThanOrEqual(500)
  expect(await failed.text()).not.toMatch(/primitive|No default value|TypeError/u)
}

function postOf(headers: object, body: string): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body }
}

/** A running program. */
export interface Program {
  readonly url: string
  readonly text: () => string
  readonly errors: () => string
}

/** The same of a program that prints what it is told of, on the path of its page. */
export async function expectProgram(
  { url, text, errors }: Program,
  path: string,
  expected: Expected = {},
): Promise<void> {
  const send = (init: RequestInit) => fetch(`${url}${path}`, init)
  const printed = () => text() + errors()
  await expectReceiver(send, printed, expected)
  if (!expected.tells) await expectDiscretion(send, expected.secret ?? SECRET)
  expect(text()).toContain(PRINTED_FOR_PAID)
}

const HERE = fileURLToPath(new URL('.', import.meta.url))
/** Node, with a line about where the program listens. */
export const NODE = [process.execPath, '--import', `file://${HERE}print-address.mjs`] as const

export interface Page extends Expected {
  /** Of the receiver; `/webhook` unless it says otherwise. */
  readonly path?: string
  /** What runs the program, whose path is added; prints `listening on <url>`. */
  readonly command?: readonly [command: string, ...args: string[]]
  /** What the program is called, in a folder of its own. */
  readonly file?: string
  /** Which of the page's programs it is. */
  readonly index?: number
}

/** Runs a program of a page, such as docs/start/express.md, as it stands. */
export function testPage(
  page: string,
  { path = '/webhook', command = NODE, file = 'receive.mjs', index = 0, ...expected }: Page = {},
) {
  const missing = [`${HERE}node_modules`, command[0]].filter((needed) => !existsSync(needed))
  describe.skipIf(leftOut(missing))(`${page}, program ${index + 1}`, () => {
    test('runs, as it stands', async () => {
      // Below this folder, so that the frameworks find themselves by their names.
      const folder = mkdtempSync(`${HERE}.run-`)
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const program = writeProgram(page, `${folder}/${file}`, index)
      const [first, ...args] = command
      const running = await startProgram(first, [...args, program], {
        cwd: folder,
        env: ENVIRONMENT,
      })
      try {
        await expectProgram(running, path, expected)
      } finally {
        await running.end()
      }
    })
  })
}

/**
 * Writes a program of a page to a file, without its types if the file is JavaScript; but as it
 * stands where the page says that it is to be saved by that name.
 */
export function writeProgram(page: string, file: string, index = 0): string {
  const code = blocksOf(page).filter(({ language }) => language === 'ts')[index]?.code ?? ''
  mkdirSync(dirname(file), { recursive: true })
  const isNamed = readFileSync(ROOT + page, 'utf8').includes(`save it as \`${basename(file)}\``)
  writeFileSync(file, /js$/u.test(file) && !isNamed ? asJavaScript(code, file) : code)
  return file
}

function asJavaScript(code: string, file: string): string {
  return ts.transpileModule(code, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: file.endsWith('.cjs') ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  }).outputText
}
