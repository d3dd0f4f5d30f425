import { withWorkerd } from './host/workerd.js'

// node serve-workerd.js [compatibility flag …]
await withWorkerd(process.argv.slice(2), async (url, ended) => {
  console.log(JSON.stringify({ http: url }))
  await ended
})
