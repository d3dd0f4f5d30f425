import { trimBytes, untilNul, withoutPrefix } from './bytes.js'
import { steps } from './verifier.js'

const BOM = Buffer.from([0xef, 0xbb, 0xbf])

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The bytes between the wire and the parser. */
export default [
  {
    id: 'M18',
    title: 'body decoded before the MAC',
    defect: 'Reads the body as text, so invalid UTF-8 becomes U+FFFD before the MAC.',
    change: { body: (bytes) => Buffer.from(Buffer.from(bytes).toString('utf8'), 'utf8') },
  },
  {
    id: 'M19',
    title: 'body trimmed',
    defect: 'Trims white space at both ends of the body before the MAC.',
    change: { body: trimBytes },
  },
  {
    id: 'M20',
    title: 'JSON serialised again before the MAC',
    defect: 'Lets a framework parse the body and signs the result of serialising it again.',
    change: {
      signedBody(body) {
        try {
          return JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8')))
        } catch {
          return body
        }
      },
    },
  },
  {
    id: 'M24',
    title: 'parses before verifying',
    defect: 'Decodes and parses the body first and checks the signature afterwards.',
    change: {
      match(parts) {
        this.json(this.text(parts.body))
        return steps.match.call(this, parts)
      },
    },
  },
  {
    id: 'M29',
    title: 'byte order mark stripped',
    defect: 'Reads the body through a decoder that drops a leading byte order mark.',
    change: { body: (bytes) => withoutPrefix(bytes, BOM) },
  },
  {
    id: 'M46',
    title: 'no limit on the body',
    defect: 'Reads and signs a body of any size.',
    change: { size() {} },
  },
  {
    id: 'M47',
    title: 'texts end at NUL',
    defect: 'Hands keys and bodies to functions for C strings.',
    change: {
      body: untilNul,
      hmac: (key, ...parts) => steps.hmac(untilNul(key), ...parts),
    },
  },
  {
    id: 'M48',
    title: 'reads one JSON value and stops',
    defect: 'Decodes the first value from a stream and never asks whether something follows.',
    change: {
      json(text) {
        if (isJson(text)) return steps.json(text)
        const ends = [...text.matchAll(/[}\]]/gu)].map(({ index }) => index + 1)
        const first = ends.find((end) => isJson(text.slice(0, end)))
        return steps.json(text.slice(0, first))
      },
    },
  },
  {
    id: 'M49',
    title: 'lenient JSON',
    defect: 'Uses a parser for configuration files, which allows comments and trailing commas.',
    change: {
      json: (text) =>
        steps.json(text.replace(/^\s*\/\/.*$|\/\*.*?\*\//gmsu, '').replace(/,\s*(?=[}\]])/gu, '')),
    },
  },
  {
    id: 'M66',
    title: 'a value at the limit refused',
    defect: 'Compares lengths with >= where > is meant.',
    change: {
      headerLength: (length) => steps.headerLength(length + 1),
      size: ({ length }, limit) => steps.size({ length: length + 1 }, limit),
    },
  },
]
