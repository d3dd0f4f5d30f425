import { AdapterError } from '../conformance/conform.ts'
import type { ReportOutcome } from '../conformance/report.ts'
import { SuiteError } from '../conformance/suite-error.ts'
import { stderrLines } from './conformance-stderr.ts'
import { note } from './output.ts'
import { endGroups } from './process-group.ts'

/** Different trouble has different numbers, so that a script can tell it apart; 2 is a misuse. */
export const EXIT: Readonly<Record<ReportOutcome | 'suite', number>> = {
  passed: 0,
  failed: 1,
  trouble: 3,
  suite: 4,
  nothing_run: 5,
}

/** Runs a command and gives the status of what it could not be run for. */
export async function withExitCodes(run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof AdapterError) {
      const words = stderrLines(error.stderr).map((line) => `  stderr: ${line}`)
      note([error.message, ...words].join('\n'))
      return EXIT.trouble
    }
    if (error instanceof SuiteError) {
      note(`the vectors: ${error.message}`)
      return EXIT.suite
    }
    throw error
  } finally {
    endGroups()
  }
}
