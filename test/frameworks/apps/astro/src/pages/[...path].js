import { answer } from '../../contract-app.js'

export const ALL = ({ request }) => answer(request)
