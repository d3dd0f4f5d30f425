import { answer } from '../../contract-app.js'

export const loader = ({ request }) => answer(request)
export const action = loader
