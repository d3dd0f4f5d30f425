import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { withWorkerd } from '../../runtimes/host/workerd.js'

// The Worker next to this, bundled.
const folder = mkdtempSync(`${tmpdir()}/hookproof-`)
process.on('exit', () => rmSync(folder, { recursive: true }))

await build({
  entryPoints: [fileURLToPath(new URL('hono-worker.js', import.meta.url))],
  outfile: `${folder}/worker.js`,
  bundle: true,
  format: 'esm',
  logLevel: 'silent',
})
const serve = async (url, ended) => {
  console.log(`listening on ${url}`)
  await ended
}
await withWorkerd([], serve, folder)
