import { parseArgs } from 'node:util'
import { misuse } from './usage-error.ts'

export type OptionKind = 'flag' | 'value' | 'list'
export type OptionTable = Readonly<Record<string, OptionKind>>

export interface GivenOption {
  readonly name: string
  readonly value: string
}

/** A command line that fits the command's options. */
export interface Arguments {
  /** `-`: standard input. */
  readonly file: string
  /** In the order they were given. */
  readonly options: readonly GivenOption[]
}

/** The options of every command. */
export const COMMON_OPTIONS = {
  'secret-env': 'list',
  'secret-file': 'list',
  json: 'flag',
  help: 'flag',
  version: 'flag',
} as const satisfies OptionTable

/**
 * Reads a command line. No message quotes an argument, which may be a secret in the wrong place,
 * except the name of an option that looks like one.
 */
export function readArguments(
  argv: readonly string[],
  table: OptionTable,
  takesProgram = false,
): Arguments {
  const files: string[] = []
  const options: GivenOption[] = []
  for (const token of tokenize(argv, table)) {
    // Before anything else is said about what may be the program's own options.
    if (token.kind === 'positional' && takesProgram) refuseProgram()
    if (token.kind === 'positional') files.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (name === 'secret') {
      misuse(
        'secret_on_command_line',
        'a secret on the command line shows in the process list and the shell history; use --secret-env NAME or --secret-file PATH',
      )
    }
    const kind = Object.hasOwn(table, name) ? table[name] : undefined
    if (kind === undefined) misuse('option_unknown', `${optionName(rawName)}; ${known(table)}`)
    if (kind === 'flag' && value !== undefined) {
      misuse('arguments_invalid', `${rawName} takes no value`)
    }
    // As in `--now --json`; a value that begins with a dash can be given as `--now=…`.
    if (kind !== 'flag' && (value === undefined || (!inlineValue && /^-./u.test(value)))) {
      misuse('arguments_invalid', `${rawName} needs a value`)
    }
    if (kind === 'value' && has({ options }, name)) {
      misuse('arguments_invalid', `${rawName} is given twice`)
    }
    options.push({ name, value: value ?? '' })
  }
  if (files.length > 1) {
    misuse(
      'arguments_invalid',
      'one file at a time, or one other argument; quote what contains spaces',
    )
  }
  return { file: files[0] ?? '-', options }
}

/** For a command that runs another program, which must stand apart. */
export function refuseProgram(): never {
  misuse(
    'arguments_invalid',
    'the command that starts the adapter stands behind --, such as: -- python3 adapter.py',
  )
}

export function has({ options }: Pick<Arguments, 'options'>, name: string): boolean {
  return options.some((option) => option.name === name)
}

export function optionValue({ options }: Arguments, name: string): string | undefined {
  return options.find((option) => option.name === name)?.value
}

/** A whole number without a sign, in decimal digits; `undefined` for other text. */
export function wholeNumber(text: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,14})$/u.test(text) ? Number(text) : undefined
}

/** Whether the answer is for a program, however wrong the rest of the command line is. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? undefined : end).includes('--json')
}

/**
 * The tokens as they are; the judging is ours, because the messages of a strict parser quote what
 * they refuse.
 */
function tokenize(argv: readonly string[], table: OptionTable) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, kind]) => [
      name,
      {
        type: kind === 'flag' ? ('boolean' as const) : ('string' as const),
        ...(name === 'help' && { short: 'h' }),
      },
    ]),
  )
  return parseArgs({ args: [...argv], options, strict: false, tokens: true }).tokens
}

/** An option by its name, unless that looks like something else, such as a secret. */
function optionName(rawName: string): string {
  return /^--?[a-z][a-z-]{0,24}$/u.test(rawName) ? `no option ${rawName}` : 'an unknown option'
}

function known(table: OptionTable): string {
  return `there are ${Object.keys(table)
    .map((name) => `--${name}`)
    .join(', ')}`
}
