const WIDTH = 110

/** JSON for people and diffs: ASCII only, a value that fits stays on one line, keys in given order. */
export function jsonText(value) {
  return `${lines(value, '')}\n`.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function lines(value, indent) {
  const flat = oneLine(value)
  const nested = value !== null && typeof value === 'object'
  if (!nested || indent.length + flat.length <= WIDTH) return flat
  const deeper = `${indent}  `
  const inner = Array.isArray(value)
    ? value.map((item) => deeper + lines(item, deeper))
    : entries(value).map(([key, item]) => `${deeper}${JSON.stringify(key)}: ${lines(item, deeper)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${inner.join(',\n')}\n${indent}${close}`
}

function oneLine(value) {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`)
  return inner.length === 0 ? '{}' : `{ ${inner.join(', ')} }`
}

function entries(value) {
  return Object.entries(value).filter(([, item]) => item !== undefined)
}
