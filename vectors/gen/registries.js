import { readFileSync } from 'node:fs'

const ROOT = new URL('../', import.meta.url)

export const REGISTRY_FILES = [
  'reasons.json',
  'flags.json',
  'choices.json',
  'capabilities.json',
  'profiles/paymos.json',
]

export function loadRegistries() {
  const [reasons, flags, choices, capabilities, profile] = REGISTRY_FILES.map(read)
  const retired = read('retired.json')
  const stages = Object.fromEntries(reasons.reasons.map(({ code, stage }) => [code, stage]))
  return { reasons, flags, choices, capabilities, profile, retired, stages }
}

export function readText(path) {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

function read(path) {
  return JSON.parse(readText(path))
}
