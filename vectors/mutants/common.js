import { steps } from './verifier.js'

/** Defects in the handling of the body that fit every scheme. */
export const BODY_DEFECTS = [
  {
    title: 'an empty body taken for an empty object',
    defect: 'Parses nothing as {}, as some frameworks do.',
    change: { json: (text) => (text.trim() === '' ? {} : steps.json(text)) },
  },
  {
    title: 'the body as Latin-1 text',
    defect: 'Holds the body as text and writes one byte a character.',
    change: { body: (bytes) => Buffer.from(Buffer.from(bytes).toString('utf8'), 'latin1') },
  },
]

/** A defect in the configuration that fits every scheme with a time. */
export const TOLERANCE_DEFECT = {
  title: 'a negative tolerance taken on trust',
  defect: 'Works with a tolerance below zero.',
  change: { tolerance: (given) => (given < 0 ? given : steps.tolerance(given)) },
}
