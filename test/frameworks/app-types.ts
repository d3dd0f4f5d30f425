import { join } from 'node:path'
import ts from 'typescript'

/** Of a program in an app: strict, and packages found as bundlers find them. */
export const APP_OPTIONS: ts.CompilerOptions = {
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['es2022', 'dom', 'dom.iterable'].map((name) => `lib.${name}.d.ts`),
  types: ['node'],
  typeRoots: [join(import.meta.dirname, 'apps/node_modules/@types')],
  skipLibCheck: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
}
