import { failed } from '../contract-app.js'

export async function onRequest(_, next) {
  try {
    return await next()
  } catch (error) {
    failed(error)
    throw error
  }
}
