// The only help that an engine without them gets: TextEncoder, and a TextDecoder that is always fatal and keeps a BOM.

globalThis.TextEncoder ??= class {
  encode(text) {
    return Uint8Array.from(unescape(encodeURIComponent(text.toWellFormed())), (character) =>
      character.charCodeAt(0),
    )
  }
}

globalThis.TextDecoder ??= class {
  decode(bytes) {
    const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`)
    return decodeURIComponent(escaped.join(''))
  }
}
