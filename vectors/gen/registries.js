import { readFileSync } from 'node:fs'

const ROOT = new URL('../', import.meta.url)

export const PROFILES = ['paymos', 'stripe', 'standard-webhooks', 'github', 'meta']
const TABLES = ['reasons', 'flags', 'choices', 'capabilities']
export const REGISTRY_FILES = [
  ...TABLES.map((name) => `${name}.json`),
  ...PROFILES.map((name) => `profiles/${name}.json`),
]

export function loadRegistries() {
  const [reasons, flags, choices, capabilities] = TABLES.map((name) => read(`${name}.json`))
  const retired = read('retired.json')
  const stages = Object.fromEntries(reasons.reasons.map(({ code, stage }) => [code, stage]))
  const profiles = Object.fromEntries(PROFILES.map((name) => [name, read(`profiles/${name}.json`)]))
  const rules = Object.fromEntries(PROFILES.map((name) => [name, rulesOf(profiles[name].spec)]))
  return { reasons, flags, choices, capabilities, profiles, rules, retired, stages }
}

export function readText(path) {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

/** The numbers of the rules that a specification has in its tables. */
function rulesOf(path) {
  return [...readText(path).matchAll(/^\| ([A-Z]\d+) \|/gmu)].map(([, number]) => number)
}

function read(path) {
  return JSON.parse(readText(path))
}
