// Without `prerender = false`: Astro runs this while it builds, and never again.
export const POST = () => new Response(null, { status: 204 })
