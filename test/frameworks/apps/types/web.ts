import type { APIContext, APIRoute } from 'astro'
import { webhook } from 'hookproof/fetch'
import type { NextRequest } from 'next/server'
import type { ActionFunction } from 'react-router'

const secret = 'whsec_1'
const receive = webhook({ secret }, () => {})

// Next passes its request, and the parameters of the route.
type Params = { params: Promise<{ tenant: string }> }
export const POST: (request: NextRequest, context: Params) => Promise<Response> = webhook(
  { secret },
  async (_, { request, args: [{ params }] }) => {
    check<Equal<typeof request, NextRequest>>()
    check<Equal<typeof params, Promise<{ tenant: string }>>>()
    console.log(request.nextUrl.pathname, (await params).tenant)
  },
)

// Whoever passes an event's request may pass the event as well.
export const action: ActionFunction = ({ request }) => receive(request)
const received = webhook({ secret }, (_, { args: [context] }: { args: readonly [APIContext] }) => {
  console.log(context.params.tenant)
})
export const route: APIRoute = (context) => received(context.request, context)

// @ts-expect-error TS2345: an event is no request
export const event: APIRoute = (context) => receive(context)
// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
