import { createMiddleware, createStart } from '@tanstack/react-start'
import { failed } from '../contract-app.js'

const told = createMiddleware().server(async ({ next }) => {
  try {
    return await next()
  } catch (error) {
    failed(error)
    throw error
  }
})

export const startInstance = createStart(() => ({ requestMiddleware: [told] }))
