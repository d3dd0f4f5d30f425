// Runs before either router.

export const config = { matcher: '/copied' }

export async function proxy(request) {
  await request.json()
}
