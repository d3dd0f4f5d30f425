export async function onRequestError(error) {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { failed } = await import('./contract-app.js')
  failed(error)
}
