import { readdirSync, readFileSync } from 'node:fs'

const V1 = new URL('../v1/', import.meta.url)

/**
 * Decodes a published bytes object: exactly one of `utf8`, `hex` or `parts`.
 * @param {{ utf8?: string, hex?: string, parts?: { utf8?: string, hex?: string, times?: number }[] }} bytes
 * @returns {Uint8Array}
 */
export function bytesOf(bytes) {
  const parts = bytes.parts ?? [bytes]
  return new Uint8Array(Buffer.concat(parts.map(repeat)))
}

/**
 * Reads every published case from disk.
 * @returns {{ file: string, group: string, case: any }[]} `file` is relative to the vectors folder
 */
export function loadCases() {
  return loadFiles().flatMap(({ file, document }) =>
    document.cases.map((published) => ({ file, group: document.group.id, case: published })),
  )
}

/**
 * Reads every published file from disk.
 * @returns {{ file: string, text: string, document: any }[]}
 */
export function loadFiles() {
  return readdirSync(V1, { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.json'))
    .sort()
    .map((path) => {
      const text = readFileSync(new URL(path, V1), 'utf8')
      return { file: `v1/${path}`, text, document: JSON.parse(text) }
    })
}

function repeat(part) {
  const unit =
    part.hex === undefined ? Buffer.from(part.utf8, 'utf8') : Buffer.from(part.hex, 'hex')
  const times = part.times ?? 1
  return times === 1 ? unit : Buffer.alloc(unit.length * times, unit)
}
