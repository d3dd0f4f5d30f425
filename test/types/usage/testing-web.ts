// Compiled wherever `Request` and `Response` are declared: a route is a target as it is.
import { webhook } from 'hookproof/fetch'
import { createSender, type Handler, replayKit, type WebRequest } from 'hookproof/testing'

check<Equal<WebRequest, Request>>()
check<Equal<IsAny<Parameters<Handler>[0]>, false>>()

const secret = 'whsec_1'
const route = async (request: Request): Promise<Response> => new Response(await request.text())
createSender({ target: route, secret })
replayKit({ target: webhook({ secret }, () => {}), secret, observe: () => 1 })
