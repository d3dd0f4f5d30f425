// Without `prerender = false`: what Astro gets here while it builds is all that there is.
export const GET = () => new Response('not a receiver')
export const POST = () => new Response(null, { status: 204 })
