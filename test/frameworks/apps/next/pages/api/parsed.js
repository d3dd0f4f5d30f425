import { webhook } from 'hookproof/next'
import { createReceiver } from '../../receiver.js'

globalThis.contract ??= createReceiver()
const { options, handler } = globalThis.contract

export default webhook(options, handler)
