import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { BUILD } from './build-folder.js'
import { within } from './processes.js'

/**
 * Serves pages that run the suite, and gives what such a page reports.
 * @param {(port: number) => Promise<unknown>} open opens a page in a browser
 * @returns {Promise<object>}
 */
export async function reportOfPage(open) {
  let reported
  const report = new Promise((resolve) => {
    reported = resolve
  })
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://site.invalid')
    if (request.method === 'POST') {
      let text = ''
      for await (const chunk of request.setEncoding('utf8')) text += chunk
      response.end()
      reported(JSON.parse(text))
    } else if (/^\/[\w-]+\.js$/u.test(pathname)) {
      response.setHeader('content-type', 'text/javascript; charset=utf-8')
      response.end(readFileSync(join(BUILD, pathname)))
    } else if (/^\/[\w-]+$/u.test(pathname)) {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(`<!doctype html><script type="module" src="${pathname}.js"></script>`)
    } else {
      response.writeHead(404).end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await open(server.address().port)
    const found = await within(90, report, 'the report of the page')
    if (found.error) throw new Error(found.error)
    return found
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
