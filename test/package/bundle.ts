import { gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { ROOT } from './package-json.ts'

/** What a web application would ship for these lines. */
export async function bundle(code: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT },
    bundle: true,
    minify: true,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    logLevel: 'silent',
    ...options,
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

/**
 * What a bundler keeps of a module that is imported for nothing: the statements that may do
 * something. It looks at the text alone, so that the `sideEffects: false` of package.json is not
 * believed.
 */
export function effectsOf(module: string): Promise<string> {
  const virtual: Plugin = {
    name: 'virtual',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^virtual$/ }, ({ path }) => ({ path, namespace: path }))
      // A chunk is judged on its own.
      onResolve({ filter: /\/chunk-/ }, () => ({ external: true, sideEffects: false }))
      onLoad({ filter: /./, namespace: 'virtual' }, () => ({ contents: module }))
    },
  }
  return bundle("import 'virtual'", { plugins: [virtual] })
}

export function gzipSize(text: string): number {
  return gzipSync(text, { level: 9 }).length
}
