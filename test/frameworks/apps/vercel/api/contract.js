import { answer, failed } from '../contract-app.js'

export default {
  async fetch(request) {
    try {
      return await answer(request)
    } catch (error) {
      failed(error)
      // What is thrown on would end the development server.
      return new Response(null, { status: 500 })
    }
  },
}
