import { cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { createSigner } from '../../dist/index.js'
import { ROOT } from '../docs/blocks.ts'
import { leftOut } from '../requirements.ts'
import { outputOf, startProgram } from '../runtimes/host/processes.js'
import { compile } from '../types/compile.ts'
import { APP_OPTIONS } from './app-types.ts'
import {
  ENVIRONMENT,
  type Expected,
  expectProgram,
  PAID,
  type Program,
  SECRET,
  writeProgram,
} from './expect-page.ts'

// Apps that a framework builds and then serves with its own production server: the sources in
// apps/<name>, the receiver of the contract, the programs of pages at their own paths, and the
// package as npm would have put it there.

const APPS: string = fileURLToPath(new URL('apps/', import.meta.url))
const BUILD_SECONDS = 240

// For the contract: some servers load the routes of the pages as well.
process.env.WEBHOOK_SECRET = SECRET

type Command = readonly [script: string, ...args: string[]]

export interface App {
  /** A folder below `apps/`. */
  readonly folder: string
  /** Another build of the same sources, with this in its environment. */
  readonly variant?: { readonly name: string; readonly env?: readonly string[] }
  /** Pages, by the file of the app that their program is. */
  readonly pages?: Readonly<Record<string, string>>
  /** Files that the build leaves for the compiler, and further roots of the sources. */
  readonly types?: { readonly files?: readonly string[]; readonly roots?: readonly string[] }
  /** Scripts of packages below `apps/node_modules`, or of the app itself. */
  readonly build?: Command
  readonly serve: Command
  /** What its server is told, such as `BODY_SIZE_LIMIT=2M`. */
  readonly settings?: readonly string[]
}

export interface BuiltApp {
  /** What `describeFramework` runs; an app may tell its parts by the host they are asked for. */
  program(host?: 'localhost' | '127.0.0.1'): readonly [command: string, ...args: string[]]
  /** Compiles a page's program with the framework's types, and runs it as a part of the app. */
  testPage(page: string, path: string, expected?: Expected): void
  /** Runs the app with the secret that pages find in their environment. */
  test(name: string, use: (running: Program) => Promise<void>): void
}

/** Builds an app before the tests of the file that calls this. */
export function useApp(app: App): BuiltApp {
  const { folder, variant, settings = [] } = app
  const name = variant === undefined ? folder : `${folder}-${variant.name}`
  const [script, ...args] = app.serve
  const missing = [`${APPS}node_modules`].filter((path) => !existsSync(path))
  const isLeftOut = leftOut(missing)
  const program: BuiltApp['program'] = (host = '127.0.0.1') => [
    process.execPath,
    // A path that does not exist has `describeFramework` leave its tests out.
    ...missing,
    `${APPS}serve.js`,
    name,
    host,
    ...['env', ...settings, process.execPath, installed(script), ...args],
  ]

  if (!isLeftOut) beforeAll(() => build(app, `${APPS}.build/${name}/`), BUILD_SECONDS * 1000)
  const testApp: BuiltApp['test'] = (name, use) =>
    test.skipIf(isLeftOut)(name, async () => {
      const [command, ...rest] = program()
      const running = await startProgram(command, rest, { env: ENVIRONMENT })
      try {
        await use(running)
      } finally {
        await running.end()
      }
    })
  return {
    program,
    test: testApp,
    testPage(page, path, expected) {
      test.skipIf(isLeftOut)(`${page} compiles`, () => {
        expect(compileIn(app, `${APPS}.build/${name}/`, page)).toEqual([])
      })
      testApp(`${page} runs, as it stands`, (running) => expectProgram(running, path, expected))
    },
  }
}

function compileIn({ pages = {}, types = {} }: App, folder: string, page: string): string[] {
  const { files = [], roots = [] } = types
  const programs = Object.keys(pages).filter((file) => pages[file] === page)
  return compile(
    [...programs, ...files].map((file) => folder + file),
    { ...APP_OPTIONS, rootDirs: ['', ...roots].map((root) => folder + root) },
  )
}

/** Sends the delivery of which the programs of pages print a line, or another body. */
export async function deliver(url: string, type: string | null, body = PAID): Promise<Response> {
  const signed = await createSigner({ secret: SECRET }).sign({ body })
  const headers = { ...signed, ...(type === null ? {} : { 'Content-Type': type }) }
  // For bytes, nobody adds a type.
  const bytes = new TextEncoder().encode(body)
  return fetch(url, { method: 'POST', headers, body: bytes, redirect: 'manual' })
}

async function build({ folder, variant, pages = {}, build }: App, into: string): Promise<void> {
  rmSync(into, { recursive: true, force: true })
  cpSync(`${APPS}${folder}`, into, { recursive: true })
  cpSync(`${APPS}contract-app.js`, `${into}contract-app.js`)
  cpSync(`${ROOT}test/adapters/receiver.js`, `${into}receiver.js`)
  const copy = `${into}node_modules/hookproof/`
  cpSync(`${ROOT}dist`, `${copy}dist`, { recursive: true })
  cpSync(`${ROOT}package.json`, `${copy}package.json`)
  for (const [file, page] of Object.entries(pages)) writeProgram(page, `${into}${file}`)
  if (build === undefined) return
  const [script, ...args] = build
  // Another secret, so that one which a build kept would not do.
  const clean = ['-u', 'VITEST', '-u', 'NODE_ENV', 'WEBHOOK_SECRET=only_for_the_build']
  await outputOf(
    'env',
    [...clean, ...(variant?.env ?? []), process.execPath, installed(script), ...args],
    BUILD_SECONDS,
    into,
  )
}

/** A script of an installed package by its whole path; one of the app stays as it is. */
function installed(script: string): string {
  return script.startsWith('./') ? script : `${APPS}node_modules/${script}`
}
