import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { conformance, folder, graded, lastLine, notPassed, ROOT } from './runner.ts'

const JS = ['node', 'vectors/adapters/javascript/adapter.js']
const HOSTILE = ['node', 'test/conformance/hostile.js', 'none']
const FIRST = ['--only', 'paymos/hdr-00*']
const read = (path: string): string => readFileSync(path, 'utf8')
const readJson = (path: string) => JSON.parse(read(path))

describe('the exit status tells apart', () => {
  const damaged = join(folder, 'damaged')
  beforeAll(() => {
    cpSync(join(ROOT, 'vectors'), damaged, {
      recursive: true,
      filter: (path) => !/adapters|gen$/u.test(path.slice(ROOT.length)),
    })
    const file = join(damaged, 'v1/paymos/hdr.json')
    writeFileSync(file, read(file).replace('t=1700000000', 't=1700000001'))
  })

  const MISTAKES: readonly (readonly [args: readonly string[], status: number, words: RegExp])[] = [
    [[], 2, /name what to do/u],
    [['frobnicate'], 2, /one file at a time|name what to do/u],
    [['run'], 2, /the command that starts the adapter stands behind --/u],
    [['run', '--'], 2, /stands behind --/u],
    [['run', 'python3', '--', 'x'], 2, /stands behind --/u],
    [['run', 'python3', 'adapter.py'], 2, /the command that starts the adapter stands behind --/u],
    [['doctor', 'python3', '-m', 'adapter', '--fast'], 2, /stands behind --/u],
    [['run', '--json', '-', '--', ...JS], 2, /--json takes the name of a file, not -/u],
    [['run', '--md', '-', '--', ...JS], 2, /--md takes the name of a file, not -/u],
    [['expect', '--write', '-', '--', ...JS], 2, /--write takes the name of a file, not -/u],
    [['run', '--level', 'all', '--', 'x'], 2, /--level takes one of verdict, class, exact/u],
    [['run', '--mode', 'batch', '--', 'x'], 2, /--mode takes one of stream, oneshot/u],
    [['run', '--scheme', 'paypal', '--', 'x'], 2, /--scheme takes one of paymos, /u],
    [['run', '--jobs', '0', '--', 'x'], 2, /--jobs takes a whole number/u],
    [['run', '--slow', '0', '--', 'x'], 2, /--slow takes a number above 0/u],
    [['run', '--frobnicate', '--', 'x'], 2, /no option --frobnicate/u],
    [
      ['run', '--json', '/no/such/folder/x', ...FIRST, '--', ...JS],
      2,
      /cannot be written \(ENOENT\)/u,
    ],
    [['run', '--', 'no-such-program-here'], 3, /there is no such program/u],
    [['doctor', '--', 'no-such-program-here'], 3, /^$/u],
    [['run', '--vectors', '/no/such/folder', '--', ...JS], 4, /manifest\.json cannot be read/u],
    [['run', '--vectors', damaged, '--', ...JS], 4, /v1\/paymos\/hdr\.json is not the file/u],
    [['doctor', '--vectors', damaged, '--', ...JS], 4, /v1\/paymos\/hdr\.json is not the file/u],
    [['copy', '--vectors', damaged, join(folder, 'never')], 4, /v1\/paymos\/hdr\.json/u],
    [['run', '--only', 'paymos/xyz-001', '--', ...JS], 5, /^$/u],
    [['run', '--scheme', 'stripe', '--', ...HOSTILE], 5, /^$/u],
    [['copy'], 2, /name the folder/u],
  ]

  test.each(MISTAKES)('%j: %i', async (args, status, words) => {
    const finished = await conformance(args)
    expect([finished.status, finished.stderr.replace(/^hookproof: /u, '')]).toEqual([
      status,
      expect.stringMatching(words),
    ])
    expect(existsSync(join(folder, 'never'))).toBe(false)
  })

  test('an id that matches nothing is said', async () => {
    const { status, stdout } = await graded(['--only', 'paymos/xyz-*'], JS)
    const note = 'note: "paymos/xyz-* matches no case of the schemes of this run"'
    expect([status, stdout]).toEqual([5, expect.stringContaining(note)])
  })

  test('nothing was run: 5, and the last line says so', async () => {
    const { status, stdout } = await graded(['--scheme', 'stripe'], HOSTILE)
    expect([status, lastLine(stdout)]).toEqual([5, 'conformance: 0 passed, 0 failed, 146 skipped'])
  })
})

describe('options', () => {
  test.each(['run', 'doctor', 'expect', 'copy'])(
    '%s --help shows an example and the statuses',
    async (name) => {
      const { status, stdout } = await conformance([name, '--help'])
      expect([status, stdout]).toEqual([
        0,
        expect.stringMatching(/Exit status: 0 [\s\S]*Example:\n/u),
      ])
    },
  )

  test('docs/conformance.md has every option of run, and no other', async () => {
    const { stdout } = await conformance(['run', '--help'])
    const named = (text: string, pattern: RegExp) =>
      new Set([...text.matchAll(pattern)].map(([, name]) => name))
    const page = read(join(ROOT, 'docs/conformance.md')).split('## Options of a run')[1] ?? ''
    const table = page.split('## Exit status')[0] ?? ''
    const given = named(stdout, /^ {2}--([a-z-]+)/gmu)
    given.delete('help')
    expect(named(table, /`--([a-z-]+) ?[^`]*`(?=[,|` ]| \|)/gu)).toEqual(
      new Set([...given, 'help']),
    )
  })

  test('--help lists the commands', async () => {
    const { stdout } = await conformance(['--help'])
    for (const name of ['run', 'doctor', 'expect', 'copy']) {
      expect(stdout).toContain(`  conformance ${name} `)
    }
  })

  test('what stands behind -- belongs to the adapter', async () => {
    const { status } = await graded(FIRST, [...HOSTILE.slice(0, 2), '--help'])
    expect(status).toBe(0)
  })

  test('--scheme and --only choose', async () => {
    const { report } = await graded(
      ['--scheme', 'github', '--scheme', 'meta', '--only', '*/hdr-001'],
      JS,
    )
    expect(report?.cases).toEqual([])
    const some = await graded(
      ['--scheme', 'github', '--only', 'github/hdr-*', '--only', 'meta/*'],
      JS,
    )
    expect(some.report?.groups.map(({ profile, group }) => `${profile}/${group}`)).toEqual([
      'github/hdr',
    ])
  })

  test('--jobs runs as many beside each other, with the same result', async () => {
    const one = await graded(['--scheme', 'stripe', '--slow', '20'], JS)
    const three = await graded(['--scheme', 'stripe', '--slow', '20', '--jobs', '3'], JS)
    const strip = (report: typeof one.report) => report?.cases.map(({ ms: _, ...rest }) => rest)
    expect(one.report?.cases).toHaveLength(146)
    expect(strip(three.report)).toEqual(strip(one.report))
  })

  test('--mode oneshot starts a process for every question', async () => {
    const { status, report } = await graded([...FIRST, '--mode', 'oneshot'], JS)
    expect([status, notPassed(report), report?.run.mode]).toEqual([0, {}, 'oneshot'])
  })

  test.each([
    ['garbage', 'protocol_error', /^the line is no JSON/u],
    ['two-lines', 'protocol_error', /^more than one line$/u],
    ['no-line-end', 'crash', /^exited with code 0, after \d+ bytes without a line end$/u],
    ['exit-9', 'crash', /^exited with code 9$/u],
    ['segfault', 'crash', /^was ended by signal SIGSEGV \(11\)$/u],
    ['exit-after-answer', 'crash', /^it answered and then exited with code 4$/u],
  ])('--mode oneshot: %s is a %s', async (behaviour, status, words) => {
    const hostile = [...HOSTILE.slice(0, 2), behaviour]
    const { report } = await graded([...FIRST, '--reveal', '--mode', 'oneshot'], hostile)
    expect(notPassed(report)).toEqual({ 'paymos/hdr-003': status })
    expect(report?.cases[2]?.got).toMatch(words)
    const told = report?.cases[2]?.stderr?.startsWith('fatal: ') ?? false
    expect(told).toBe(status === 'crash' && behaviour.startsWith('exit-'))
  })

  test('--reveal marks the report', async () => {
    const { report, stdout } = await graded([...FIRST, '--reveal'], JS)
    expect(report?.run.reveal).toBe(true)
    expect(stdout).toContain('note: ids were sent, so this run proves nothing')
  })

  test('--md writes the report as Markdown, the same at every run', async () => {
    const [a, b] = [join(folder, 'a.md'), join(folder, 'b.md')]
    await graded(['--scheme', 'github', '--slow', '20', '--md', a], JS)
    await graded(['--scheme', 'github', '--slow', '20', '--md', b], JS)
    expect(read(a)).toBe(read(b))
    expect(read(a)).toContain('| github | 106 of 106 | 106 of 106 | 106 of 106 | 0 |')
  })

  test('--level decides what is red, and all three are counted', async () => {
    const reasonless = [...HOSTILE.slice(0, 2), 'reasonless']
    const verdict = await graded(['--only', 'paymos/hdr-*', '--slow', '20'], reasonless)
    expect([verdict.status, verdict.report?.levels]).toMatchObject([0, [{ profile: 'paymos' }]])
    const [levels] = verdict.report?.levels ?? []
    expect(levels?.verdict).toBe(levels?.run)
    expect(levels?.exact).toBeLessThan(levels?.run ?? 0)
    const exact = await graded(['--only', 'paymos/hdr-*', '--level', 'exact'], reasonless)
    expect(exact.status).toBe(1)
    expect(exact.report?.levels).toEqual(verdict.report?.levels)
    expect(new Set(Object.values(notPassed(exact.report)))).toEqual(
      new Set(['wrong_reason', 'wrong_output']),
    )
  })
})

describe('doctor', () => {
  test('finds nothing wrong with a good adapter', async () => {
    const { status, stdout } = await conformance(['doctor', '--', ...JS])
    expect([status, lastLine(stdout)]).toEqual([0, 'doctor: 43 passed, 0 failed'])
  })

  test.each([
    ['always-valid', /FAIL {2}paymos, tampered, first time: expected invalid, got valid/u],
    ['unflushed', /does the adapter flush its output after every line\?/u],
    [
      'garbage-at-hello',
      /FAIL {2}hello: no answer to hello: the line is no JSON: "Welcome to PHP 8"/u,
    ],
    ['no-name', /FAIL {2}hello: implementation\.name must be text/u],
    ['answers-bye', /FAIL {2}bye: the adapter wrote a line after bye/u],
    ['late-at-bye', /FAIL {2}bye: a line that answers nothing/u],
    ['wrong-made', /FAIL {2}paymos, sign: expected output\.header "t=1700000000,v1=/u],
    [
      'number-output',
      /FAIL {2}paymos, output: output\.timestamp must be a string, and is a number/u,
    ],
    [
      'crash-in-trial',
      /crash: exited with code 6\n {6}stderr: "fatal: \\u001b\[31mno module named 'acme'"\n/u,
    ],
    ['declares-nothing', /FAIL {2}ops: none of verify, sign, mac is declared, so nothing is run/u],
    ['unknown-profile', /note: "no scheme is named paypal"\nFAIL {2}profiles: none of paymos, /u],
    ['unknown-op', /note: "no op is named check"\nFAIL {2}ops: none of verify, sign, mac /u],
    [
      'mac-of-stripe',
      /FAIL {2}stripe: none of its 146 cases is run: op verify not declared; op sign/u,
    ],
    ['exit-7-after-bye', /FAIL {2}bye: after bye the adapter exited with code 7/u],
  ])('%s', async (behaviour, words) => {
    const hostile = [...HOSTILE.slice(0, 2), behaviour]
    const slow = behaviour === 'unflushed' ? '0.3' : '3'
    const { status, stdout } = await conformance(['doctor', '--slow', slow, '--', ...hostile])
    expect([status, stdout]).toEqual([3, expect.stringMatching(words)])
    expect(lastLine(stdout)).toMatch(/^doctor: \d+ passed, [1-9]\d* failed$/u)
  })
})

test('failures of one kind are told once, with the names of the others', async () => {
  const numbers = [...HOSTILE.slice(0, 2), 'number-output']
  const { stdout, report } = await graded(['--level', 'exact', '--scheme', 'paymos'], numbers)
  const failed = report?.counts.failed ?? 0
  expect(failed).toBeGreaterThan(100)
  expect(stdout.split('\n').length).toBeLessThan(60)
  expect(stdout).toMatch(
    /\n {2}and in the same way \d+ more cases: (?:paymos\/\w{3}-\d{3} ){10}… \(all/u,
  )
  const told = [...stdout.matchAll(/ wrong_output: | in the same way (\d+) more/gu)]
  expect(told.reduce((sum, [, more = 1]) => sum + Number(more), 0)).toBe(failed)
})

test('what the answers took is told', async () => {
  const { stdout } = await graded(FIRST, JS)
  expect(stdout).toMatch(/\n9 answers in \d+\.\d s\nconformance: 9 passed/u)
})

test.each([
  ['all-ops', 'ok    paymos, sign\nok    paymos, mac\n'],
  ['skips-made', 'ok    paymos, sign: skipped: no API\n'],
  ['no-capability', 'note: no capability is declared, so only cases that need none are run\n'],
  ['unknown-capability', 'note: "no capability is named header-line"\n'],
])('doctor passes %s and says so', async (behaviour, words) => {
  const { status, stdout } = await conformance(['doctor', '--', ...HOSTILE.slice(0, 2), behaviour])
  expect([status, stdout]).toEqual([0, expect.stringContaining(words)])
})

test('doctor --scheme of a scheme that is not declared is a failure', async () => {
  const schemes = ['--scheme', 'paymos', '--scheme', 'stripe']
  const { status, stdout } = await conformance(['doctor', ...schemes, '--', ...HOSTILE])
  expect([status, stdout]).toEqual([
    3,
    expect.stringContaining(
      'FAIL  stripe: none of its 146 cases is run: scheme stripe not declared',
    ),
  ])
})

describe('copy', () => {
  const target = join(folder, 'copy')

  test('writes the vectors, with their versions and digests', async () => {
    const { status, stdout } = await conformance(['copy', target])
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^suite 1\.0\.0: \d+ files written\n$/u),
    ])
    const manifest = readJson(join(target, 'manifest.json'))
    expect(readJson(join(target, 'VERSION.json'))).toMatchObject({
      suiteVersion: manifest.suiteVersion,
      digest: manifest.digest,
      files: { 'v1/paymos/hdr.json': manifest.files[0].sha256 },
    })
    expect(read(join(target, '.gitattributes'))).toMatch(/^\* -text$/mu)
    for (const left of ['gen', 'mutants', 'adapters']) {
      expect(existsSync(join(target, left))).toBe(false)
    }
    expect(read(join(target, 'README.md'))).toContain(
      'A copy made by `hookproof conformance copy` is without `gen/`, `mutants/` and `adapters/`',
    )
    const { status: graded } = await conformance([
      'run',
      ...FIRST,
      '--vectors',
      target,
      '--',
      ...JS,
    ])
    expect(graded).toBe(0)
  })

  test('again, says that nothing changed', async () => {
    const { status, stdout } = await conformance(['copy', target])
    expect([status, stdout]).toEqual([
      0,
      'suite 1.0.0 -> 1.0.0\n0 cases added\n0 cases changed\n0 cases removed\n',
    ])
  })

  test('over an older copy, says what changed, and removes what is gone', async () => {
    const version = readJson(join(target, 'VERSION.json'))
    const manifest = readJson(join(target, 'manifest.json'))
    delete manifest.cases['paymos/hdr-002']
    manifest.cases['paymos/hdr-003'] = 'other'
    manifest.cases['paymos/old-001'] = 'gone'
    const text = JSON.stringify(manifest)
    writeFileSync(join(target, 'manifest.json'), text)
    writeFileSync(join(target, 'v1/old.json'), '{}')
    const digest = (content: string) => createHash('sha256').update(content).digest('hex')
    version.suiteVersion = '0.9.0'
    version.files['manifest.json'] = digest(text)
    version.files['v1/old.json'] = digest('{}')
    writeFileSync(join(target, 'VERSION.json'), JSON.stringify(version))
    const { status, stdout } = await conformance(['copy', target])
    expect([status, stdout]).toEqual([
      0,
      [
        'suite 0.9.0 -> 1.0.0',
        '1 case added: paymos/hdr-002',
        '1 case changed: paymos/hdr-003',
        '1 case removed: paymos/old-001',
        'removed v1/old.json',
        '',
      ].join('\n'),
    ])
    expect(existsSync(join(target, 'v1/old.json'))).toBe(false)
  })

  test('leaves alone what it has not written, and overwrites nothing that was changed', async () => {
    writeFileSync(join(target, 'notes.txt'), 'mine')
    writeFileSync(join(target, 'SPEC.md'), 'mine')
    const { status, stderr } = await conformance(['copy', target])
    expect([status, stderr]).toEqual([2, expect.stringContaining('changed since: SPEC.md;')])
    expect([read(join(target, 'SPEC.md')), read(join(target, 'notes.txt'))]).toEqual([
      'mine',
      'mine',
    ])
    rmSync(join(target, 'SPEC.md'))
    expect((await conformance(['copy', target])).status).toBe(0)
    expect([read(join(target, 'SPEC.md')).length > 4, read(join(target, 'notes.txt'))]).toEqual([
      true,
      'mine',
    ])
  })

  const withFiles = (files: object) => JSON.stringify({ suiteVersion: '1.0.0', digest: 'x', files })

  test.each([
    '../outside.txt',
    '/outside.txt',
    'v1/../../outside.txt',
    '..\\outside.txt',
    'C:x',
    'v1//x',
    '',
  ])('a list that names %j is refused, and nothing is removed', async (path) => {
    const place = join(folder, 'listed')
    mkdirSync(place, { recursive: true })
    const outside = join(folder, 'outside.txt')
    writeFileSync(outside, 'mine')
    const digest = createHash('sha256').update('mine').digest('hex')
    writeFileSync(join(place, 'VERSION.json'), withFiles({ [path]: digest }))
    const { status, stderr } = await conformance(['copy', place])
    expect([status, stderr]).toEqual([2, expect.stringContaining('a file outside of the folder')])
    expect([read(outside), existsSync(join(place, 'v1'))]).toEqual(['mine', false])
  })

  const LINKS = ['', 'VERSION.json', 'manifest.json', 'README.md', 'v1', 'v1/paymos']

  test.skipIf(process.platform === 'win32').each(LINKS)(
    'a symbolic link at %j is refused, and nothing is written through it',
    async (path) => {
      const elsewhere = mkdtempSync(join(folder, 'elsewhere-'))
      const place = mkdtempSync(join(folder, 'linked-'))
      const link = join(place, 'vectors', path)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(/\./u.test(path) ? join(elsewhere, 'new') : elsewhere, link)
      const { status, stderr } = await conformance(['copy', join(place, 'vectors/')])
      expect([status, stderr]).toEqual([2, expect.stringContaining('is a symbolic link')])
      expect([readdirSync(elsewhere), existsSync(join(place, 'vectors/v1/github'))]).toEqual([
        [],
        false,
      ])
    },
  )

  test('a folder where a file belongs is left alone', async () => {
    const place = join(folder, 'blocked')
    mkdirSync(join(place, 'README.md'), { recursive: true })
    const { status } = await conformance(['copy', place])
    expect([status, readdirSync(place)]).toEqual([2, ['README.md']])
  })

  test('a copy of two versions is not graded with', async () => {
    const mixed = join(folder, 'mixed')
    await conformance(['copy', mixed])
    const manifest = readJson(join(mixed, 'manifest.json'))
    manifest.suiteVersion = '1.9.0'
    writeFileSync(join(mixed, 'manifest.json'), JSON.stringify(manifest))
    const args = ['run', '--vectors', mixed, ...FIRST, '--', ...JS]
    const { status, stderr } = await conformance(args)
    expect([status, stderr]).toEqual([
      4,
      expect.stringContaining('VERSION.json is of another copy than manifest.json'),
    ])
  })

  test('into a folder of somebody else, writes nothing', async () => {
    const other = join(folder, 'other')
    cpSync(join(ROOT, 'vectors/schema'), other, { recursive: true })
    writeFileSync(join(other, 'README.md'), 'mine')
    const { status } = await conformance(['copy', other])
    expect([status, read(join(other, 'README.md')), existsSync(join(other, 'v1'))]).toEqual([
      2,
      'mine',
      false,
    ])
  })
})
