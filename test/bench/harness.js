// An interleaved benchmark: every round runs every case once, in shuffled order, and cases are
// compared within a round. On a machine with busy neighbours a ratio of paired samples is the only
// figure that holds still.

/**
 * @param {Record<string, () => void>} cases each does one unit of work and throws when its answer is wrong
 * @param {{ rounds: number, sampleMs: number, warmUpMs: number }} size
 * @returns {Map<string, number[]>} nanoseconds a call, one sample a round
 */
export function measure(cases, { rounds, sampleMs, warmUpMs }) {
  const names = Object.keys(cases)
  const counts = new Map(names.map((name) => [name, calibrate(cases[name], sampleMs, warmUpMs)]))
  const samples = new Map(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of shuffle(names)) {
      const count = counts.get(name)
      samples.get(name).push(time(cases[name], count) / count)
    }
  }
  return samples
}

/** The median over the rounds of one case's time divided by another's in the same round. */
export function ratio(samples, name, base) {
  const bases = samples.get(base)
  return quantile(
    samples.get(name).map((sample, round) => sample / bases[round]),
    0.5,
  )
}

function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(q * (sorted.length - 1))]
}

/** Warms a case up and finds how many calls fill a sample. */
function calibrate(run, sampleMs, warmUpMs) {
  let count = 1
  let nanoseconds = 0
  for (let spent = 0; spent < warmUpMs * 1e6; spent += nanoseconds) {
    nanoseconds = time(run, count)
    if (nanoseconds < sampleMs * 1e6) count *= 2
  }
  return count
}

function time(run, count) {
  const start = process.hrtime.bigint()
  for (let i = 0; i < count; i++) run()
  return Number(process.hrtime.bigint() - start)
}

function shuffle(names) {
  const list = [...names]
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[list[i], list[j]] = [list[j], list[i]]
  }
  return list
}
