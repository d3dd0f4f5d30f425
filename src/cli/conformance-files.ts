import { UsageError } from './usage-error.ts'

/** Writes, and says what could not be written without quoting a path. */
export async function writeOrMisuse(what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(
      'file_unwritable',
      `${what} cannot be written (${code ?? 'unknown error'})`,
    )
  }
}
