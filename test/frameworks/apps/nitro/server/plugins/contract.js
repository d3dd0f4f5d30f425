export default defineNitroPlugin((nitro) => {
  nitro.hooks.hook('error', (error) => globalThis.contract?.failed(error.cause ?? error))
})
