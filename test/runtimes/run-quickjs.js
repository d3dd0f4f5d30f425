import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getQuickJS } from 'quickjs-emscripten'
import { BUILD } from './host/build-folder.js'

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'node_modules/quickjs-emscripten/package.json'), 'utf8'),
)
const context = (await getQuickJS()).newContext()
const evaluated = context.evalCode(readFileSync(join(BUILD, 'quickjs.js'), 'utf8'), 'quickjs.js', {
  type: 'module',
})
context.unwrapResult(evaluated).dispose()
const jobs = context.runtime.executePendingJobs()
context.unwrapResult(jobs)
const promise = context.getProp(context.global, 'report')
const settled = context.getPromiseState(promise)
if (settled.type !== 'fulfilled') throw new Error(`${settled.type}: ${context.dump(settled.error)}`)
console.log(JSON.stringify({ version, ...JSON.parse(context.getString(settled.value)) }))
process.exit()
