import { pause } from '../timers.ts'

/** Serialization failure, deadlock: PostgreSQL asks for the same again (Appendix A, class 40). */
const AGAIN = ['40001', '40P01']
const TIMES = 8

/**
 * Repeats what lost against a concurrent transaction: under `repeatable read` a duplicate may be
 * told so by an error, under `serializable` everything may. After a short wait, since the error is
 * sent before the locks are given up.
 */
export async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let time = 1; ; time++) {
    try {
      return await run()
    } catch (error) {
      const { code } = Object(error) as { code?: unknown }
      if (time === TIMES || !AGAIN.includes(code as string)) throw error
      await pause(Math.random() * 2 ** time)
    }
  }
}
