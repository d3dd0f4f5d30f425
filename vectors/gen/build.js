import { GROUPS } from './groups.js'
import { indexPage } from './index-page.js'
import { jsonText } from './json-text.js'
import { caseDigest, publishGroup, SUITE, sha256 } from './publish.js'
import { REGISTRY_FILES, readText } from './registries.js'

/** Recipes → published documents, in group order. */
export function buildDocuments(registries) {
  return GROUPS.map((recipe) => {
    const document = JSON.parse(jsonText(publishGroup(recipe, registries.stages)))
    return { file: `v1/${SUITE.profile}/${recipe.id}.json`, text: jsonText(document), document }
  })
}

/** Every generated file: path relative to the vectors folder → text. */
export function buildOutputs(files, killers, mutants) {
  return new Map([
    ...files.map(({ file, text }) => [file, text]),
    ['manifest.json', jsonText(manifest(files))],
    ['INDEX.md', indexPage(files, killers, mutants)],
  ])
}

function manifest(files) {
  const listed = [
    ...files.map(({ file, text, document }) => ({
      path: file,
      sha256: sha256(text),
      numberOfCases: document.numberOfCases,
    })),
    ...REGISTRY_FILES.map((path) => ({ path, sha256: sha256(readText(path)) })),
  ]
  const cases = files.flatMap(({ document }) => document.cases)
  return {
    schemaVersion: SUITE.schemaVersion,
    suiteVersion: SUITE.suiteVersion,
    profiles: [SUITE.profile],
    digest: sha256(listed.map((entry) => `${entry.sha256}  ${entry.path}\n`).join('')),
    numberOfCases: cases.length,
    files: listed,
    cases: Object.fromEntries(cases.map((published) => [published.id, caseDigest(published)])),
  }
}
