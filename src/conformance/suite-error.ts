/**
 * The vectors cannot be used as they are: a file is missing, was changed, or has a form this version
 * does not read. `instanceof` holds within one build of the package; `name` holds everywhere.
 */
export class SuiteError extends Error {
  override readonly name = 'SuiteError'
}
