import { expect, test } from 'vitest'
import * as schemes from '../../src/schemes/index.ts'
import { verifySync } from '../../src/verify-sync.ts'
import { bytesOf, loadCases } from '../../vectors/gen/decode.js'
import { type Case, expected, judge, profileOf, rowsOf } from '../vectors/harness.ts'

const ROWS = rowsOf(schemes)

// On the sources, for their coverage; on the built package the cases run in every way there is.
test('the sources agree with every published case', async () => {
  const cases = loadCases().map(({ case: published }): Case => published)
  for (const published of cases.filter(({ op }) => op === 'verify')) {
    const { headers, body, secrets, now, tolerance, limits } = published.input
    const request = {
      headers: headers.map(([name, value]: never[]) => [
        name,
        Buffer.from(bytesOf(value as never)).toString('latin1'),
      ]),
      body: body && bytesOf(body),
    }
    const options = {
      secret: secrets.map(bytesOf),
      now: () => Number(now),
      toleranceSeconds: tolerance ?? undefined,
      maxBodyBytes: limits?.maxBodyBytes,
      ...ROWS[profileOf(published)].options,
    }
    const outcome = await judge(() => verifySync(request, options), profileOf(published))
    expect({ id: published.id, ...outcome }).toEqual({ id: published.id, ...expected(published) })
  }
})
