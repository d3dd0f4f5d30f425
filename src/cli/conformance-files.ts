import { type Arguments, optionValue } from './arguments.ts'
import { misuse, UsageError } from './usage-error.ts'

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

/** The file that an option names, to be written; a stream is none, beside what is printed. */
export function outputFile(args: Arguments, name: string): string | undefined {
  const file = optionValue(args, name)
  if (file === '-') misuse('arguments_invalid', `--${name} takes the name of a file, not -`)
  return file
}
