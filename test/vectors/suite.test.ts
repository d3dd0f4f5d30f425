import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, describe, expect, test } from 'vitest'
import { bytesOf, loadCases, loadFiles } from '../../vectors/gen/decode.js'
import { lint } from '../../vectors/gen/lint.js'
import { caseDigest, sha256 } from '../../vectors/gen/publish.js'
import { loadRegistries, PROFILES } from '../../vectors/gen/registries.js'

const VECTORS = new URL('../../vectors/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, VECTORS), 'utf8')
const readJson = (path: string) => JSON.parse(read(path))
const check = (folder: string) =>
  spawnSync(process.execPath, [join(folder, 'gen/index.js'), '--check'], { encoding: 'utf8' })

const files = loadFiles()
const cases = loadCases()
const registries = loadRegistries()
const manifest = readJson('manifest.json')

const SCHEMAS: readonly (readonly [string, readonly string[]])[] = [
  ['vectors', files.map(({ file }) => file)],
  ['manifest', ['manifest.json']],
  ['reasons', ['reasons.json']],
  ['flags', ['flags.json']],
  ['choices', ['choices.json']],
  ['capabilities', ['capabilities.json']],
  ['retired', ['retired.json']],
  ['profile', PROFILES.map((name) => `profiles/${name}.json`)],
]

describe('the published files', () => {
  test('are what the recipes make, and lint is clean', () => {
    const { status, stdout, stderr } = check(fileURLToPath(VECTORS))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`${cases.length} cases`)
  })

  for (const [name, paths] of SCHEMAS) {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true })
    const validate = ajv.compile(readJson(`schema/${name}.schema.json`))
    test.each(paths)(`%s is valid under the schema ${name}`, (path) => {
      expect({ valid: validate(readJson(path)), errors: validate.errors }).toEqual({
        valid: true,
        errors: null,
      })
    })
  }

  test('have true digests and counts in the manifest', () => {
    for (const { path, sha256: digest } of manifest.files) expect(sha256(read(path))).toBe(digest)
    for (const { file, document } of files) {
      const listed = manifest.files.find(({ path }: { path: string }) => path === file)
      expect(listed.numberOfCases).toBe(document.cases.length)
    }
    expect(manifest.numberOfCases).toBe(cases.length)
    for (const { case: published } of cases) {
      expect(manifest.cases[published.id]).toBe(caseDigest(published))
    }
    expect(Object.keys(manifest.cases)).toHaveLength(cases.length)
  })

  test('belong to the five profiles, and the changelog lists each group completely', () => {
    const changelog = read('CHANGELOG.md')
    expect(new Set(files.map(({ document }) => document.profile))).toEqual(new Set(PROFILES))
    for (const { document } of files) {
      const first = `${document.profile}/${document.group.id}-001`
      const last = document.cases.at(-1).id.split('/')[1]
      expect(changelog).toContain(`\`${first}\` to \`${last}\``)
    }
    expect(changelog).toContain(`${cases.length} cases`)
    expect(changelog).toContain(`${registries.reasons.reasons.length} reasons`)
  })

  test('are counted truly in the README: by profile, and in the example of a claim', () => {
    const readme = read('README.md')
    for (const name of PROFILES) {
      const count = cases.filter(({ file }) => file.startsWith(`v1/${name}/`)).length
      expect(readme).toMatch(new RegExp(`\\| \`${name}\` \\|.*\\| ${count} \\|`, 'u'))
    }
    const claim = /verdict (\d+) of (\d+), (\d+) skipped/.exec(readme)
    const paymos = cases.filter(({ file }) => file.startsWith('v1/paymos/'))
    const verifying = paymos.filter(({ case: { op } }) => op === 'verify').length
    expect(claim?.slice(1).map(Number)).toEqual([verifying, verifying, paymos.length - verifying])
  })

  test('cite every rule of every specification, and rules are numbered in order', () => {
    for (const name of PROFILES) {
      const rules = registries.rules[name] as string[]
      const letter = rules[0]?.[0]
      expect(rules).toEqual(rules.map((_, index) => `${letter}${index + 1}`))
    }
  })

  test('hold the answers that others have published', () => {
    const byTitle = (title: string) => cases.find(({ case: { title: found } }) => found === title)
    const official = byTitle(
      'Official vector of the provider: a wrong signature, then the right one',
    )
    expect(official?.case.input.header).toMatch(
      /,v1=8f62822925c2d12af1b822edcc1e9392ce064c20d003cbbc11f131485348005b$/,
    )
    const standard = byTitle('The example of the reference libraries')
    expect(standard?.case.input.headers[2][1].utf8).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
    const github = byTitle('The answer that GitHub has published')
    expect(github?.case.input.header).toBe(
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    )
    const truncated = cases.find(({ case: { title } }) => title.startsWith('RFC 4231 test case 5'))
    expect(truncated?.case.expect.output.mac.slice(0, 32)).toBe('a3b6167473100ee06e0c796c2955552b')
  })
})

describe('bytes objects', () => {
  test.each([
    [{ utf8: '\u00e9' }, [0xc3, 0xa9]],
    [{ hex: '00ff' }, [0x00, 0xff]],
    [{ parts: [{ utf8: 'ab', times: 2 }, { hex: '01' }] }, [0x61, 0x62, 0x61, 0x62, 0x01]],
    [{ utf8: '' }, []],
  ])('%j decodes', (object, expected) => {
    expect(bytesOf(object)).toEqual(Uint8Array.from(expected))
  })
})

describe('--check', () => {
  const copy = mkdtempSync(join(tmpdir(), 'hookproof-vectors-'))
  afterAll(() => rmSync(copy, { recursive: true }))

  test('names a file that was edited, one that is missing and one that no recipe makes', () => {
    cpSync(VECTORS, copy, { recursive: true })
    writeFileSync(join(copy, 'package.json'), '{"type":"module"}')
    writeFileSync(join(copy, 'v1/paymos/hdr.json'), `${read('v1/paymos/hdr.json')}\n`)
    rmSync(join(copy, 'v1/paymos/sgn.json'))
    writeFileSync(join(copy, 'v1/paymos/old.json'), '{}')
    const { status, stderr } = check(copy)
    expect(status).toBe(1)
    expect(stderr).toContain('v1/paymos/hdr.json')
    expect(stderr).toContain('v1/paymos/sgn.json: missing')
    expect(stderr).toContain('v1/paymos/old.json: comes from no recipe')
  })
})

describe('lint', () => {
  type Edit = (document: ReturnType<typeof pick>) => void
  const pick = () =>
    structuredClone(files.find(({ file }) => file === 'v1/paymos/rot.json')?.document)
  const problemsAfter = (edit: Edit) => {
    const document = pick()
    edit(document)
    const file = { file: 'v1/paymos/rot.json', text: JSON.stringify(document), document }
    return lint({ files: [file], registries, mutants: undefined, killers: undefined }).join('\n')
  }
  const EDITS: readonly (readonly [string, Edit, string])[] = [
    ['a wrong count', (d) => d.numberOfCases++, 'numberOfCases'],
    ['an id used twice', (d) => (d.cases[1].id = d.cases[0].id), 'id used twice'],
    ['ids out of order', (d) => d.cases.reverse(), 'order of creation'],
    ['an id of another group', (d) => (d.cases[0].id = 'paymos/hdr-001'), 'wrong file'],
    ['a wrong length', (d) => d.cases[0].input.body.length++, 'length is not true'],
    ['a wrong digest', (d) => (d.cases[0].input.body.sha256 = '0'.repeat(64)), 'sha256'],
    ['a ready header that is not the lines', (d) => (d.cases[0].input.header = 't=1'), 'joined'],
    ['an unknown flag', (d) => d.cases[0].flags.push('NoSuchFlag'), 'unknown flag'],
    ['an unknown reason', (d) => (d.cases[9].expect.reason = 'no_such'), 'unknown reason'],
    ['an unknown capability', (d) => d.cases[0].requires.push('no-such'), 'unknown capability'],
    ['an unknown rule', (d) => d.cases[0].spec.push('D99'), 'unknown rule'],
    ['the same input twice', (d) => (d.cases[1].input = d.cases[0].input), 'same input'],
    ['a critical case that is valid', (d) => (d.cases[0].severity = 'critical'), 'critical is for'],
    [
      'a purpose of two sentences',
      (d) => (d.cases[0].why = 'One thing is so. Another is not.'),
      'why',
    ],
    ['a title with a full stop', (d) => (d.cases[0].title += '.'), 'title'],
    [
      'an output that is not complete',
      (d) => delete d.cases[0].expect.output.event,
      'not complete',
    ],
    [
      'a control character in utf8',
      (d) => (d.cases[0].input.secrets[0].utf8 = '\0'),
      'must be hex',
    ],
    [
      'a key that looks real',
      (d) => (d.cases[0].input.secrets[0].utf8 = `whsec_${'a'.repeat(32)}`),
      'real',
    ],
  ]
  test.each(EDITS)('finds %s', (_name, edit, problem) => {
    expect(problemsAfter(edit)).toContain(problem)
  })
})
