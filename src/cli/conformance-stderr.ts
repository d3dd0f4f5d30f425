import { shown } from './output.ts'

/** The last lines of what an adapter wrote to standard error, harmless for a terminal. */
export function stderrLines(stderr: string | undefined, most = 10): readonly string[] {
  const lines = (stderr ?? '').trimEnd().split('\n').slice(-most)
  return lines.filter((line) => line.trim() !== '').map(shown)
}
