import { report } from '../suite/bundled.js'

// A Worker: the suite runs for a request, because a Worker may do nothing before one.
export default {
  async fetch() {
    return Response.json(await report())
  },
}
