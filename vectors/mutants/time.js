import { refuse, steps } from './verifier.js'

const timestampsOf = (elements) => elements.filter(({ key }) => key === 't')

/** Reading t and comparing it with the clock. */
export default [
  {
    id: 'M01',
    title: 'last t wins',
    defect: 'Keeps the elements in a map, so a second t replaces the first.',
    change: {
      timestampText: (elements) =>
        timestampsOf(elements).at(-1)?.value ?? refuse('timestamp_missing'),
    },
  },
  {
    id: 'M02',
    title: 'first t wins',
    defect: 'Takes the first t it finds and never looks for another.',
    change: {
      timestampText: (elements) =>
        timestampsOf(elements).at(0)?.value ?? refuse('timestamp_missing'),
    },
  },
  {
    id: 'M03',
    title: 'parseInt on t',
    defect: 'Reads t with parseInt and goes on with the number, so signs, zeros and tails vanish.',
    change: {
      time(text) {
        const seconds = Number.parseInt(text, 10)
        if (Number.isNaN(seconds)) refuse('timestamp_malformed')
        return { text: String(seconds), seconds }
      },
    },
  },
  {
    id: 'M04',
    title: '32-bit time',
    defect: 'Keeps the time in a signed 32-bit integer.',
    change: {
      time(text) {
        const time = steps.time(text)
        return { text: time.text, seconds: time.seconds | 0 }
      },
    },
  },
  {
    id: 'M05',
    title: 'zero taken for missing',
    defect: 'Tests the parsed time with !t, so second 0 is no time at all.',
    change: {
      time(text) {
        const time = steps.time(text)
        if (!time.seconds) refuse('timestamp_missing')
        return time
      },
    },
  },
  {
    id: 'M06',
    title: 'future not checked',
    defect: 'Refuses old timestamps only: now - t > tolerance.',
    change: {
      freshness(now, seconds, tolerance) {
        if (Math.floor(now) - seconds > tolerance) refuse('timestamp_too_old')
      },
    },
  },
  {
    id: 'M07',
    title: 'boundary exclusive',
    defect: 'Wants the difference below the tolerance instead of at most equal to it.',
    change: {
      freshness(now, seconds, tolerance) {
        const age = Math.floor(now) - seconds
        if (age >= tolerance) refuse('timestamp_too_old')
        if (-age >= tolerance) refuse('timestamp_too_new')
      },
    },
  },
  {
    id: 'M08',
    title: 'tolerance 0 switches the check off',
    defect: 'Guards the check with if (tolerance).',
    change: {
      freshness(now, seconds, tolerance) {
        if (tolerance) steps.freshness(now, seconds, tolerance)
      },
    },
  },
  {
    id: 'M09',
    title: 'milliseconds',
    defect: 'Compares in milliseconds but leaves the tolerance in seconds.',
    change: {
      freshness(now, seconds, tolerance) {
        steps.freshness(now * 1000, seconds * 1000, tolerance)
      },
    },
  },
  {
    id: 'M39',
    title: 'age not checked',
    defect: 'Signs the timestamp but never compares it with the clock.',
    change: { freshness() {} },
  },
  {
    id: 'M40',
    title: 'occurred_at compared with the clock',
    defect: "Applies the tolerance to the time of the event instead of the attempt's alone.",
    change: {
      envelope(json, { now, tolerance }) {
        const envelope = steps.envelope(json)
        steps.freshness(now, envelope.occurred_at, tolerance)
        return envelope
      },
    },
  },
  {
    id: 'M63',
    title: 'time from another header',
    defect: 'Takes X-Webhook-Timestamp, when it is there, in place of t.',
    change: {
      authenticate(delivery) {
        const [sent] = this.lines(delivery.headers, 'x-webhook-timestamp')
        const own = sent === undefined ? {} : { timestampText: () => sent }
        return steps.authenticate.call({ ...this, ...own }, delivery)
      },
    },
  },
  {
    id: 'M64',
    title: 'absent t goes unnoticed',
    defect: 'Goes on with an undefined time: not a number, so neither too old nor too new.',
    change: {
      timestampText: (elements) =>
        timestampsOf(elements).length === 0 ? undefined : steps.timestampText(elements),
      time: (text) =>
        text === undefined ? { text: 'undefined', seconds: Number.NaN } : steps.time(text),
    },
  },
]
