import { chmod, copyFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'

const shared = {
  target: 'es2022',
  splitting: false,
  treeshake: false,
  removeNodeProtocol: false,
} as const

export default defineConfig([
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      sync: 'src/sync.ts',
      'schemes/index': 'src/schemes/index.ts',
      'schemes/paymos': 'src/schemes/paymos.ts',
      'engines/native': 'src/engines/native.ts',
      'engines/web': 'src/engines/web.ts',
      'engines/noble': 'src/engines/noble.ts',
    },
    format: ['esm', 'cjs'],
    platform: 'neutral',
    dts: true,
    // All but the command, which is built beside this and may be there before the cleaning.
    clean: ['!cli.js'],
    // Bundled, so that nothing is installed beside the package; its licence is shipped with it.
    noExternal: ['@noble/hashes'],
    onSuccess: () => copyFile('node_modules/@noble/hashes/LICENSE', 'dist/LICENSE-noble-hashes'),
  },
  {
    ...shared,
    entry: { cli: 'src/cli/index.ts' },
    format: ['esm'],
    platform: 'node',
    // A file that is overwritten keeps its mode.
    onSuccess: () => chmod('dist/cli.js', 0o755),
  },
])
