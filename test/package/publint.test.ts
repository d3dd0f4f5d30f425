import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { pack, run } from './pack.ts'
import { packageJson, ROOT } from './package-json.ts'

const tool = (name: string) => join(ROOT, 'node_modules', '.bin', name)
let tarball: string

beforeAll(() => {
  tarball = pack()
})

test('publint finds nothing in the package', () => {
  expect(run(tool('publint'), ['run', tarball, '--strict'], ROOT)).toContain('All good!')
})

interface Analysis {
  readonly analysis: {
    readonly entrypoints: Readonly<Record<string, unknown>>
    readonly problems: readonly { readonly resolutionKind?: string }[]
  }
}

test('the types of every subpath resolve for ES modules, CommonJS and bundlers', () => {
  const args = ['--profile', 'node16', '--format', 'json', tarball]
  const { analysis }: Analysis = JSON.parse(run(tool('attw'), args, ROOT))
  expect(Object.keys(analysis.entrypoints).sort()).toEqual(Object.keys(packageJson.exports).sort())
  // `node10` knows no `exports`, so that no subpath of any package that has them resolves there.
  expect(analysis.problems.filter(({ resolutionKind }) => resolutionKind !== 'node10')).toEqual([])
})
