import { existsSync } from 'node:fs'

const MODULE = new URL('../mutants/index.js', import.meta.url)

/** The deliberately broken verifiers, or `undefined` in a copy that comes without them. */
export async function loadMutants() {
  return existsSync(MODULE) ? import(MODULE.href) : undefined
}

/** Which mutants answer each case wrongly: case id → mutant ids. */
export function killMatrix(cases, { MUTANTS, kills }) {
  return new Map(
    cases.map((published) => [
      published.id,
      MUTANTS.filter(({ profile }) => published.id.startsWith(`${profile}/`))
        .filter((mutant) => kills(mutant, published))
        .map(({ id }) => id),
    ]),
  )
}
