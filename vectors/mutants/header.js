import { ID_HEADER, refuse, SIGNATURE_HEADER, steps } from './verifier.js'

const signaturesWhere = (accepts) => (elements) =>
  elements.filter(({ key }) => accepts(key)).map(({ value }) => value)

/** Finding the header, taking it apart, picking elements. */
export default [
  {
    id: 'M10',
    title: 'only the first v1',
    defect: 'Compares with the first v1 and ignores the rest.',
    change: { signatureTexts: (elements) => steps.signatureTexts(elements).slice(0, 1) },
  },
  {
    id: 'M11',
    title: 'only the last v1',
    defect: 'Keeps the elements in a map, so a later v1 replaces an earlier one.',
    change: { signatureTexts: (elements) => steps.signatureTexts(elements).slice(-1) },
  },
  {
    id: 'M12',
    title: 'prefix match on the key',
    defect: 'Takes every element whose key starts with v1, so v10 counts.',
    change: { signatureTexts: signaturesWhere((key) => key.startsWith('v1')) },
  },
  {
    id: 'M13',
    title: 'keys case-folded',
    defect: 'Lower-cases keys, so T and V1 count.',
    change: {
      elements: (value) =>
        steps.elements(value).map((element) => ({ ...element, key: element.key.toLowerCase() })),
    },
  },
  {
    id: 'M14',
    title: 'v0 accepted',
    defect: 'Treats v0 as another name for v1.',
    change: { signatureTexts: signaturesWhere((key) => key === 'v1' || key === 'v0') },
  },
  {
    id: 'M25',
    title: 'last header line only',
    defect: 'Keeps headers in a map by name, so a repeated line replaces the one before.',
    change: { joinLines: (lines) => lines.at(-1) ?? '' },
  },
  {
    id: 'M30',
    title: 'no limit on signatures',
    defect: 'Compares as many v1 values as a stranger sends.',
    change: {
      signatureCount(count) {
        if (count === 0) refuse('signature_missing')
      },
    },
  },
  {
    id: 'M31',
    title: 'a signature is optional',
    defect: 'Verifies only when the header is there, and lets everything else through.',
    change: {
      authenticate(delivery) {
        const value = this.joinLines(this.lines(delivery.headers, SIGNATURE_HEADER))
        if (value.trim() !== '') return steps.authenticate.call(this, delivery)
        const time = { text: '0', seconds: 0 }
        return { ...delivery, time, matched: { secret: 0, signature: 0 } }
      },
    },
  },
  {
    id: 'M32',
    title: 'unknown elements refused',
    defect: 'Accepts a header of t and v1 elements only.',
    change: {
      elements(value) {
        const elements = steps.elements(value)
        const foreign = elements.some(({ key }) => key !== 't' && key !== 'v1')
        return foreign ? refuse('header_malformed') : elements
      },
    },
  },
  {
    id: 'M33',
    title: 'searches the header with regular expressions',
    defect: 'Looks for t=<digits> and v1=<hex> anywhere instead of splitting at commas.',
    change: {
      elements(value) {
        const time = value.match(/t=(\d+)/u) ?? []
        const macs = [...value.matchAll(/v1=([0-9a-f]{64})/giu)]
        const found = [time, ...macs].filter((match) => match.length > 0)
        return found.map(([text]) => ({ key: text.split('=')[0], value: text.split('=')[1] }))
      },
    },
  },
  {
    id: 'M34',
    title: 'trims keys and values',
    defect: 'Calls the trim of the language on both halves of an element.',
    change: {
      elements: (value) =>
        steps.elements(value).map(({ key, value: text }) => ({
          key: key.trim(),
          value: text.trim(),
        })),
    },
  },
  {
    id: 'M35',
    title: 'white space around elements kept',
    defect: 'Splits at commas and expects no space behind them.',
    change: { trimPiece: (piece) => piece },
  },
  {
    id: 'M36',
    title: 'any header that speaks of a signature',
    defect: 'Takes the lines of every header whose name contains the word signature.',
    change: {
      isNamed: (given, name) =>
        steps.isNamed(given, name) ||
        (name === SIGNATURE_HEADER && given.toLowerCase().includes('signature')),
    },
  },
  {
    id: 'M37',
    title: 'header names compared with case',
    defect: 'Looks headers up in a map by the spelling of the documentation.',
    change: {
      isNamed: (given, name) =>
        given === { [SIGNATURE_HEADER]: 'X-Webhook-Signature', [ID_HEADER]: 'X-Webhook-Id' }[name],
    },
  },
  {
    id: 'M38',
    title: 'no limit on the header',
    defect: 'Parses a header of any length.',
    change: { headerLength() {} },
  },
]
