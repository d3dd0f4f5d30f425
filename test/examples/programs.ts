import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { leftOut } from '../requirements.ts'

// The programs of docs/examples, with the libraries that they ask their users to install.

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LIBRARIES = `${ROOT}test/inbox/drivers/node_modules`
/** What some of the libraries need: see test/runtimes. */
export const NODE_22 = `${ROOT}test/runtimes/node_modules/node22/bin/node`

/** Whether these libraries are installed; under CI they must be. */
export function hasLibraries(...names: readonly string[]): boolean {
  const paths = names.map((name) => `${LIBRARIES}/${name}`)
  return !leftOut(paths.filter((path) => !existsSync(path)).map((path) => path.replace(ROOT, '')))
}

/** Whether Node 22 is installed; under CI it must be. */
export function hasNode22(): boolean {
  return !leftOut(existsSync(NODE_22) ? [] : [NODE_22.replace(ROOT, '')])
}

/** A folder below the project, so that the package finds itself by its name, with the libraries. */
export function programFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(`${ROOT}test/examples/.run-`)
  symlinkSync(LIBRARIES, `${path}/node_modules`)
  return { path, remove: () => rmSync(path, { recursive: true }) }
}

/** A program of docs/examples, where it finds its libraries. */
export function programIn(folder: string, name: string): string {
  copyFileSync(`${ROOT}docs/examples/${name}`, `${folder}/${name}`)
  return `${folder}/${name}`
}
