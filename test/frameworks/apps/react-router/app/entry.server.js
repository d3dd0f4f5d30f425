import { failed } from '../contract-app.js'

export const handleError = (error) => failed(error)

// Every route is a resource: no page is ever rendered.
export default (_, status, headers) => new Response(null, { status, headers })
