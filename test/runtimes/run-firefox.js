import puppeteer from 'puppeteer-core'
import { reportOfPage } from './host/site.js'

const browser = await puppeteer.launch({
  browser: 'firefox',
  executablePath: '/usr/bin/firefox-esr',
  headless: true,
})
try {
  const page = await browser.newPage()
  const report = await reportOfPage((port) => page.goto(`http://localhost:${port}/page`))
  const version = (await browser.version()).replace(/^\w+\//u, '')
  console.log(JSON.stringify({ version, ...report }))
} finally {
  await browser.close()
}
