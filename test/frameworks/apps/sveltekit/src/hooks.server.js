import { failed } from '../contract-app.js'

export const handleError = ({ error }) => failed(error)
