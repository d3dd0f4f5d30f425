import { join } from 'node:path'

/** Where build.js puts what runs inside the runtimes. */
export const BUILD = join(import.meta.dirname, '../.build')
