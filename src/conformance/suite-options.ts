import { isObject } from '../core/envelope.ts'
import { fail } from '../core/errors.ts'
import { LEVELS } from './grade.ts'
import { oneLine } from './one-line.ts'
import { OPS, type Suite } from './suite.ts'

const KNOWN: readonly string[] = [
  ...['suite', 'implementation', 'profiles', 'capabilities', 'choices', 'reasons'],
  ...['verify', 'sign', 'mac', 'level', 'schemes', 'only', 'expectations'],
]

/** Throws for a mistake in the options of `runSuite`, which would grade something else in silence. */
export function checkSuiteOptions(options: Readonly<Record<string, unknown>>): void {
  if (!isObject(options) || !isSuite(options.suite)) {
    fail('option_unknown', 'pass an object with at least { suite }, as loadSuite gives it')
  }
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) {
      fail('option_unknown', `no option ${oneLine(name, 40)}; there are ${KNOWN.join(', ')}`)
    }
  }
  for (const op of OPS) {
    if (options[op] !== undefined && typeof options[op] !== 'function') {
      fail('handler_invalid', `${op} must be a function`)
    }
  }
  const { suite, level, schemes, only, expectations } = options
  if (level !== undefined && !(LEVELS as readonly unknown[]).includes(level)) {
    fail('option_unknown', `level must be one of ${LEVELS.join(', ')}`)
  }
  if (schemes !== undefined && !isListOf(schemes, (name) => suite.profiles.includes(name))) {
    fail('scheme_invalid', `schemes must be a list of ${suite.profiles.join(', ')}`)
  }
  if (only !== undefined && !isListOf(only, (pattern) => pattern !== '')) {
    fail('option_unknown', 'only must be a list of ids, or of their beginnings and a *')
  }
  if (expectations !== undefined && typeof expectations !== 'string') {
    fail('option_unknown', 'expectations must be the text of a file')
  }
}

function isSuite(value: unknown): value is Suite {
  return isObject(value) && Array.isArray(value.cases) && Array.isArray(value.profiles)
}

/** An empty list would run nothing. */
function isListOf(value: unknown, isRight: (text: string) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'string' && isRight(item))
  )
}
