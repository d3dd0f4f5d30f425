// Proves receiver.js in the runtime that runs this, and prints what was not shown. `prove.js NODE FOLDER`
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { childProcess, replayKit } from '../../../dist/testing/index.js'

const [node, folder] = process.argv.slice(2)
const receiver = fileURLToPath(new URL('receiver.js', import.meta.url))
const booked = `${folder}/booked`
const kit = replayKit({
  target: childProcess({
    command: node,
    args: [receiver, folder, 'none'],
    url: /listening on (\S+)/u,
  }),
  secret: 'whsec_test_for_the_self_test',
  observe: (id) =>
    existsSync(booked) ? readdirSync(booked).filter((name) => name.startsWith(id)).length : 0,
  quietMs: 60,
})
const { results } = await kit.run()
console.log(
  results
    .filter(({ outcome }) => outcome !== 'shown')
    .map(({ id }) => id)
    .join(' '),
)
