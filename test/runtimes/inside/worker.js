import { webhook } from '../../../dist/adapters/workers.js'
import { createReceiver } from '../../adapters/receiver.js'
import { report } from '../suite/bundled.js'

const { options, handler, control } = createReceiver()
const receive = webhook(() => options, handler)

// A Worker: the suite runs for a request, because a Worker may do nothing before one.
export default {
  async fetch(request, env, context) {
    if (request.url.endsWith('/suite')) return Response.json(await report())
    const record = control(request.url)
    return record === undefined ? receive(request, env, context) : new Response(record)
  },
}
