import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import ts from 'typescript'
import { afterAll } from 'vitest'
import { SECRET } from '../frameworks/expect-page.ts'
import { type Block, ROOT } from './blocks.ts'

process.env.WEBHOOK_SECRET = SECRET
process.env.WEBHOOK_SECRET_OLD = 'test_only_documented_old'
// A program that listens takes any free port.
process.env.PORT = '0'

/** Below the project, so that the package finds itself by its name. */
export const folder = mkdtempSync(`${ROOT}test/docs/.run-`)
afterAll(() => rmSync(folder, { recursive: true }))

/** The exports of a TypeScript block, as a module of its own. */
export async function load(name: string, { code }: Block): Promise<Record<string, unknown>> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  const file = `${folder}/${name.replaceAll(/\W/gu, '-')}.mjs`
  writeFileSync(file, outputText)
  return import(/* @vite-ignore */ file)
}
