import { honoApp } from './hono-app.js'

export default honoApp()
