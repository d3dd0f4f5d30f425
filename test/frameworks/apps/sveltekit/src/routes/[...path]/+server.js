import { answer } from '../../../contract-app.js'

export const fallback = ({ request }) => answer(request)
