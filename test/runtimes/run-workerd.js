import { withWorkerd, workerdVersion } from './host/workerd.js'

// node run-workerd.js [compatibility flag …]
const version = await workerdVersion()
const report = await withWorkerd(process.argv.slice(2), async (url) => {
  const response = await fetch(`${url}/suite`)
  return response.json()
})
console.log(JSON.stringify({ version, ...report }))
