import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { note, shown } from './output.ts'
import { UsageError } from './usage-error.ts'

/** Far more than any provider sends, and little enough to hold in memory as parsed JSON. */
export const MAX_FILE_MIB = 16

/** The bytes of the command's file argument. */
export function readFileArgument(file: string): Promise<Buffer> {
  if (file === '-' && process.stdin.isTTY) note('reading from the terminal until Ctrl-D')
  return readInput(file, label(file), MAX_FILE_MIB * 1024 * 1024)
}

/** A path by its name, unless that may be a secret in the wrong place. */
function label(file: string): string {
  if (file === '-') return 'standard input'
  return file.includes('whsec_') ? 'the file' : shown(file)
}

/**
 * The bytes of a file, or of standard input for `-`. Never reads on past the limit, so that a
 * device or an endless pipe ends as well.
 */
export async function readInput(file: string, label: string, maxBytes: number): Promise<Buffer> {
  try {
    if (file !== '-') {
      const { size } = await stat(file)
      if (size > maxBytes) tooLarge(label, maxBytes)
    }
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      length += chunk.length
      if (length > maxBytes) tooLarge(label, maxBytes)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError('file_unreadable', `cannot read ${label}: ${cause(error)}`)
  }
}

function tooLarge(label: string, maxBytes: number): never {
  throw new UsageError('file_too_large', `${label} is larger than ${maxBytes} bytes`)
}

const CAUSES: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['EISDIR', 'it is a directory'],
  ['EACCES', 'permission denied'],
])

/** By code, because the system's message quotes the path. */
function cause(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return CAUSES.get(code) ?? `${code ?? 'unknown error'}`
}
