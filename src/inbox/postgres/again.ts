/** Serialization failure, deadlock: PostgreSQL asks for the same again (Appendix A, class 40). */
const AGAIN = ['40001', '40P01']

/**
 * Repeats what lost against a concurrent transaction: under `repeatable read` and `serializable` a
 * duplicate may be told so by an error. Three times are more than was ever seen to be needed.
 */
export async function again<T>(run: () => Promise<T>, times = 3): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const { code } = Object(error) as { code?: unknown }
    if (times <= 1 || !AGAIN.includes(code as string)) throw error
    return again(run, times - 1)
  }
}
