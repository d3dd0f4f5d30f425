import { webhook } from '../../../dist/adapters/workers.js'
import { createReceiver } from '../../adapters/receiver.js'
import { report } from '../suite/bundled.js'

const { options, handler, control } = createReceiver()
const receive = webhook(() => options, handler)
const large = webhook(() => ({ ...options, maxBodyBytes: undefined }), handler)

// A Worker: the suite runs for a request, because a Worker may do nothing before one.
export default {
  async fetch(request, env, context) {
    if (request.url.endsWith('/suite')) return Response.json(await report())
    const record = control(request.url)
    if (record !== undefined) return new Response(record)
    return (request.url.endsWith('/large') ? large : receive)(request, env, context)
  },
}
