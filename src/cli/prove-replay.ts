import type { Arguments } from './arguments.ts'

/** What a replay of one scenario sets itself, or does not need. */
const LEFT_OUT = ['only', 'also', 'without', 'quick', 'replay', 'json']
/** What may be a credential, such as a database's; the report may go where the command line does not. */
const CREDENTIAL = /:\/\/[^\s/@]*:[^\s/@]*@|pass|pwd|secret|token|key|(?:^|\s)-p\S/iu
/** Names of a variable or a file, and never the secret itself. */
const NAMES = ['secret-env', 'secret-file']

/** The command line that runs one scenario of a report again, for a POSIX shell. */
export function replayOf({ file, options }: Arguments): (id: string, seed: number) => string {
  const kept = options.filter(({ name }) => !LEFT_OUT.includes(name))
  const words = kept.flatMap(({ name, value }) => {
    const isHidden = !NAMES.includes(name) && CREDENTIAL.test(value)
    return [`--${name}`, isHidden ? "'…'" : quoted(value)]
  })
  return (id, seed) =>
    ['npx hookproof prove', quoted(file), ...words, '--only', id, '--replay', seed].join(' ')
}

function quoted(word: string): string {
  return /^[\w./:@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
