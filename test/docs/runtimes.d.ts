// What the pages for Deno and Bun use of them, for the compiler: neither's own types go together
// with Node's.

declare const Deno: {
  readonly env: { get(name: string): string | undefined }
  serve(
    options: { readonly port: number },
    handler: (request: Request, info: { readonly remoteAddr: object }) => Promise<Response>,
  ): unknown
}

declare const Bun: {
  serve(options: {
    readonly port: string | number
    readonly development: boolean
    readonly routes: {
      readonly [path: string]: (request: Request, server: object) => Promise<Response>
    }
  }): { readonly url: URL }
}
