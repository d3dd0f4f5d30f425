// In every runtime that has a web face, Node included; not declared without the DOM library.
declare const atob: (text: string) => string
declare const btoa: (text: string) => string

/**
 * The bytes of a body that a platform has written as base64; `undefined` for all but the one
 * canonical form. By the runtime, because a body is large.
 */
export function decodeBase64Body(base64: string): Uint8Array | undefined {
  let text: string
  try {
    text = atob(base64)
  } catch {
    return undefined
  }
  if (btoa(text) !== base64) return undefined
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
