import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REASONS } from '../../dist/index.js'
import { loadCases } from '../../vectors/gen/decode.js'
import { ROOT } from '../package/package-json.ts'

const page = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| '))
/** Codes of WebhookConfigError, from where they are declared. */
const CODES = readFileSync(join(ROOT, 'src/core/errors.ts'), 'utf8').match(/(?<=\| ')\w+(?=')/gu)

test('the vectors that the page names are published', () => {
  const ids = new Set(loadCases().map(({ case: { id } }) => id))
  const named = page.match(/(?<=`)[a-z]{3}-\d{3}(?=`)/gu) ?? []
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((id) => !ids.has(`paymos/${id}`))).toEqual([])
})

test('the symptoms that have a name are reasons and codes', () => {
  const named = rows.flatMap((row) => row.match(/(?<=\*\*`)\w+(?=`\*\*)/gu) ?? [])
  const known = [...Object.keys(REASONS), ...(CODES ?? [])]
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})

test('the page leads to every framework, and stays a page', () => {
  const pages = readdirSync(join(ROOT, 'docs/start'))
  expect(pages.filter((name) => !page.includes(`](start/${name})`))).toEqual([])
  expect(page.split('\n').length).toBeLessThan(60)
})
