// The vocabulary of the GitHub recipes: secret A signs body P.
import { hubKit } from '../shared/hub.js'

export * from '../../kit.js'

export const RULES = {
  ...{ header: 'G1', prefix: 'G2', form: 'G3', lines: 'G4', signed: 'G5', key: 'G6', match: 'G7' },
  ...{ size: 'G8', text: 'G8', envelope: 'G9', facts: 'G10', order: 'G11', sign: 'G12' },
}

export const kit = hubKit(
  '{"action":"opened","issue":{"number":100},"repository":{"id":1296269,"full_name":"octocat/Hello-World"},"sender":{"login":"octocat"}}',
  { type: '', idSigned: false },
)

export const ID = '72d3162e-cc78-11e3-81ab-4c9367dc0958'

/** The lines of a delivery with GitHub's other headers; `undefined` leaves one out. */
export function lines(header, id = ID, type = 'issues') {
  return [
    ['X-GitHub-Delivery', id],
    ['X-GitHub-Event', type],
    ['X-Hub-Signature-256', header],
  ].filter(([, value]) => value !== null)
}
