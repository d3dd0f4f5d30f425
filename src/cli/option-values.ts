import { type Arguments, optionValue, wholeNumber } from './arguments.ts'
import { misuse } from './usage-error.ts'

/** Every value of an option that may be repeated, `undefined` when it is not given. */
export function listValue(args: Arguments, name: string): readonly string[] | undefined {
  const values = args.options.filter((option) => option.name === name).map(({ value }) => value)
  return values.length > 0 ? values : undefined
}

export function oneOf<T extends string>(
  args: Arguments,
  name: string,
  values: readonly T[],
): T | undefined {
  const text = optionValue(args, name)
  if (text === undefined) return undefined
  return (
    values.find((value) => value === text) ??
    misuse('arguments_invalid', `--${name} takes one of ${values.join(', ')}`)
  )
}

/** A whole number within limits, `undefined` when it is not given. */
export function countValue(
  args: Arguments,
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const text = optionValue(args, name)
  if (text === undefined) return undefined
  const count = wholeNumber(text)
  if (count === undefined || count < from || count > to) {
    misuse('arguments_invalid', `--${name} takes a whole number from ${from} to ${to}`)
  }
  return count
}
