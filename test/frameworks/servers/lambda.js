import { webhook } from 'hookproof/lambda'
import { createReceiver } from '../../adapters/receiver.js'
import { serveFunctions } from './lambda-gateway.js'

// node lambda.js <source>: the receiver behind one of the sources of events.
const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)
const functions = {
  '/large': webhook({ ...options, maxBodyBytes: undefined }, handler),
  // As middleware for JSON does.
  '/parsed': (event, context) => receive({ ...event, body: JSON.parse(event.body) }, context),
}
serveFunctions(process.argv[2], (path) => functions[path] ?? receive, control, failed)
