// node vectors/gen/index.js           lints and writes every generated file
// node vectors/gen/index.js --check   writes nothing; exits 1 when a file on disk differs
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDocuments, buildOutputs } from './build.js'
import { lint } from './lint.js'
import { killMatrix, loadMutants } from './mutants.js'
import { loadRegistries } from './registries.js'

const ROOT = new URL('../', import.meta.url)
const GENERATED = ['v1/', 'index/']

const checking = process.argv.includes('--check')
const registries = loadRegistries()
const files = buildDocuments(registries)
const cases = files.flatMap(({ document }) => document.cases)
const mutants = await loadMutants()
const killers = mutants && killMatrix(cases, mutants)
const outputs = buildOutputs(files, registries, killers, mutants)

if (!checking) write()
const problems = [
  ...lint({ files, registries, mutants, killers }),
  ...staleFiles(),
  ...(checking ? differences() : []),
]
for (const problem of problems) console.error(problem)
if (problems.length === 0)
  console.log(`vectors: ${cases.length} cases, ${outputs.size} files, clean`)
process.exitCode = problems.length === 0 ? 0 : 1

function write() {
  for (const [path, text] of outputs) {
    mkdirSync(new URL('.', new URL(path, ROOT)), { recursive: true })
    writeFileSync(new URL(path, ROOT), text)
  }
}

function differences() {
  return [...outputs]
    .filter(([path]) => existsSync(new URL(path, ROOT)))
    .flatMap(([path, text]) => difference(path, readFileSync(new URL(path, ROOT), 'utf8'), text))
    .concat(missing())
}

function missing() {
  return [...outputs.keys()]
    .filter((path) => !existsSync(new URL(path, ROOT)))
    .map((path) => `${path}: missing; run node vectors/gen/index.js`)
}

function difference(path, disk, built) {
  if (disk === built) return []
  const onDisk = disk.split('\n')
  const lines = built.split('\n')
  const same = lines.findIndex((text, index) => text !== onDisk[index])
  const line = same === -1 ? lines.length : same + 1
  return [`${path}:${line}: differs from the recipes; run node vectors/gen/index.js`]
}

function staleFiles() {
  return GENERATED.flatMap(filesBelow)
    .filter((path) => !outputs.has(path))
    .map((path) => `${path}: comes from no recipe; remove it`)
}

function filesBelow(folder) {
  const root = fileURLToPath(ROOT)
  if (!existsSync(new URL(folder, ROOT))) return []
  return readdirSync(new URL(folder, ROOT), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, resolve(entry.parentPath ?? entry.path, entry.name)))
    .map((path) => path.replaceAll('\\', '/'))
}
