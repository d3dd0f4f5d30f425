import { existsSync } from 'node:fs'
import { indexPage, indexPages } from './index-page.js'
import { jsonText } from './json-text.js'
import { caseDigest, publishGroup, SUITE, sha256 } from './publish.js'
import { PROFILES, REGISTRY_FILES, readText } from './registries.js'
import { SCHEMES } from './schemes.js'
import { schemesPage } from './schemes-page.js'

/** The page for users of the library is written where the library is, and not in a copy of this folder. */
const LIBRARY = new URL('../../src/schemes/', import.meta.url)

/** Recipes → published documents, in the order of schemes and groups. */
export function buildDocuments(registries) {
  return SCHEMES.flatMap((scheme) =>
    scheme.groups.map((recipe) => {
      const document = JSON.parse(jsonText(publishGroup(recipe, scheme, registries)))
      return {
        file: `v1/${scheme.profile}/${recipe.id}.json`,
        text: jsonText(document),
        document,
      }
    }),
  )
}

/** Every generated file: path relative to the vectors folder → text. */
export function buildOutputs(files, registries, killers, mutants) {
  return new Map([
    ...files.map(({ file, text }) => [file, text]),
    ['manifest.json', jsonText(manifest(files))],
    ['INDEX.md', indexPage(files, registries, mutants)],
    ...indexPages(files, registries, killers, mutants),
    ...(existsSync(LIBRARY) ? [['../docs/schemes.md', schemesPage(registries)]] : []),
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
    profiles: PROFILES,
    digest: sha256(listed.map((entry) => `${entry.sha256}  ${entry.path}\n`).join('')),
    numberOfCases: cases.length,
    files: listed,
    cases: Object.fromEntries(cases.map((published) => [published.id, caseDigest(published)])),
  }
}
