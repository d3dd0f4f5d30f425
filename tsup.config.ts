import { chmod, copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'

// ES modules share chunks, so that a second subpath adds only what is its own; CommonJS files stand alone.
const shared = { target: 'es2022', treeshake: false, removeNodeProtocol: false } as const

export default defineConfig([
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      sync: 'src/sync.ts',
      'schemes/index': 'src/schemes/index.ts',
      'schemes/paymos': 'src/schemes/paymos.ts',
      'schemes/stripe': 'src/schemes/stripe.ts',
      'schemes/standard-webhooks': 'src/schemes/standard-webhooks.ts',
      'schemes/github': 'src/schemes/github.ts',
      'schemes/meta': 'src/schemes/meta.ts',
      'adapters/fetch': 'src/adapters/fetch.ts',
      'adapters/node': 'src/adapters/node.ts',
      'adapters/deno': 'src/adapters/deno.ts',
      'adapters/bun': 'src/adapters/bun.ts',
      'adapters/workers': 'src/adapters/workers.ts',
      'adapters/browser': 'src/adapters/browser.ts',
      'adapters/next': 'src/adapters/next.ts',
      'adapters/express': 'src/adapters/express.ts',
      'adapters/koa': 'src/adapters/koa.ts',
      'adapters/gcp': 'src/adapters/gcp.ts',
      'adapters/azure': 'src/adapters/azure.ts',
      'adapters/elysia': 'src/adapters/elysia.ts',
      'adapters/fastify': 'src/adapters/fastify.ts',
      'adapters/h3': 'src/adapters/h3.ts',
      'adapters/hono': 'src/adapters/hono.ts',
      'adapters/lambda': 'src/adapters/lambda.ts',
      'adapters/nest': 'src/adapters/nest.ts',
      'inbox/index': 'src/inbox/index.ts',
      'inbox/postgres': 'src/inbox/postgres.ts',
      'inbox/sqlite': 'src/inbox/sqlite.ts',
      'inbox/conformance': 'src/inbox/conformance.ts',
      'testing/index': 'src/testing/index.ts',
      'engines/native': 'src/engines/native.ts',
      'engines/web': 'src/engines/web.ts',
      'engines/noble': 'src/engines/noble.ts',
      'conformance/index': 'src/conformance/index.ts',
    },
    format: ['esm', 'cjs'],
    platform: 'neutral',
    dts: true,
    // All but the command, which is built beside this and may be there before the cleaning.
    clean: ['!cli.js'],
    // Bundled, so that nothing is installed beside the package; its licence is shipped with it.
    noExternal: ['@noble/hashes'],
    async onSuccess() {
      await copyFile('node_modules/@noble/hashes/LICENSE', 'dist/LICENSE-noble-hashes')
      await dropBareImports()
    },
  },
  {
    ...shared,
    entry: { cli: 'src/cli/index.ts' },
    format: ['esm'],
    splitting: false,
    platform: 'node',
    // A file that is overwritten keeps its mode.
    onSuccess: () => chmod('dist/cli.js', 0o755),
  },
])

/** Imports of chunks for nothing: no chunk does anything when it is loaded, and bundlers warn about them. */
async function dropBareImports(): Promise<void> {
  for (const name of await readdir('dist', { recursive: true })) {
    if (!name.endsWith('.js') || name === 'cli.js') continue
    const text = await readFile(`dist/${name}`, 'utf8')
    await writeFile(
      `dist/${name}`,
      text.replaceAll(/^import "(?:\.{1,2}\/)+chunk-\w+\.js";\n/gmu, ''),
    )
  }
}
