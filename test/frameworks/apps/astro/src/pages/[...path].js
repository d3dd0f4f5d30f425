import { answer } from '../../contract-app.js'

export const prerender = false

export const ALL = ({ request }) => answer(request)
