import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leftOut } from '../requirements.ts'
import { compile } from '../types/compile.ts'
import { APP_OPTIONS } from './app-types.ts'

// The declarations against the types of the frameworks that build apps; the programs of their pages
// are compiled in the apps.

const APPS = join(import.meta.dirname, 'apps')
const missing = [join(APPS, 'node_modules')].filter((path) => !existsSync(path))

test.skipIf(leftOut(missing))('uses compile with the types of Next, React Router and Astro', () => {
  const usage = readdirSync(join(APPS, 'types'))
  expect(usage).not.toEqual([])
  const files = usage.map((name) => join(APPS, 'types', name))
  expect(compile(files, APP_OPTIONS)).toEqual([])
})
