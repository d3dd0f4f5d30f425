import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { webhook } from '../../dist/adapters/node.js'
import { createInbox, memoryStore } from '../../dist/inbox/index.js'
import { createSigner } from '../../dist/index.js'
import { hasFiles, library, programFolder, programIn } from './programs.ts'

// docs/examples/opentelemetry.js, on the real SDK with exporters that keep what they are given.

const SECRET = 'test_only_opentelemetry'
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
/** It stands in bodies and errors, and must stand nowhere else. */
const PRIVATE = 'jane.doe@example.com'

interface Point {
  readonly attributes: { readonly [name: string]: unknown }
  readonly value: number | { readonly count: number }
}
interface Metric {
  readonly descriptor: { readonly name: string; readonly unit: string }
  readonly dataPoints: readonly Point[]
}

const isReady = hasFiles(
  library('@opentelemetry/api'),
  library('@opentelemetry/sdk-metrics'),
  library('@opentelemetry/sdk-trace-base'),
)

describe.runIf(isReady)('docs/examples/opentelemetry.js', () => {
  const folder = programFolder()
  afterAll(folder.remove)

  test('gives instruments and spans their names, without ids in metrics and without a payload', async () => {
    const require = createRequire(`${folder.path}/`)
    const metrics = require('@opentelemetry/sdk-metrics')
    const tracing = require('@opentelemetry/sdk-trace-base')
    const { telemetry } = await import(
      /* @vite-ignore */ programIn(folder.path, 'opentelemetry.js')
    )
    const metricExporter = new metrics.InMemoryMetricExporter(
      metrics.AggregationTemporality.CUMULATIVE,
    )
    const reader = new metrics.PeriodicExportingMetricReader({ exporter: metricExporter })
    const meters = new metrics.MeterProvider({ readers: [reader] })
    const spanExporter = new tracing.InMemorySpanExporter()
    const tracers = new tracing.BasicTracerProvider({
      spanProcessors: [new tracing.SimpleSpanProcessor(spanExporter)],
    })
    const tell = telemetry({ meter: meters.getMeter('t'), tracer: tracers.getTracer('t') })
    const kinds: string[] = []
    const onSignal = (signal: { readonly kind: string }) => {
      tell(signal)
      kinds.push(signal.kind)
    }

    let failures = 1
    const inbox = createInbox({
      store: memoryStore(),
      handlers: {
        'invoice.paid': {
          async apply(_, __, context) {
            if (failures-- > 0) throw new RangeError(`no stock for ${PRIVATE}`)
            await context.once('fulfil')
          },
        },
      },
      backoff: () => 0,
      onSignal,
    })
    const server = createServer(
      webhook({ secret: [SECRET, 'test_only_previous'], inbox, onSignal }),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const send = async (secret: string, more: object = {}) => {
      const body = JSON.stringify({
        ...{ event_id: 'evt_1', event_type: 'invoice.paid', version: 1, occurred_at: 1 },
        data: { invoice_id: 'inv_1', order: { client_id: PRIVATE } },
      })
      const headers = { ...(await createSigner({ secret }).sign({ body })), ...more }
      return (await fetch(url, { method: 'POST', headers, body })).status
    }
    const first = { traceparent: `00-${TRACE}-${SPAN}-01`, 'x-webhook-id': 'evt_other' }
    expect(await send(SECRET, first)).toBe(202)
    expect(await send('test_only_previous')).toBe(200)
    expect(await send('test_only_forged')).toBe(401)
    await inbox.drain()
    await inbox.drain()
    await inbox.purge()
    // Told once a minute by start(), the first time at once.
    inbox.start()
    await expect.poll(() => kinds).toContain('backlog')
    await inbox.stop()
    server.closeAllConnections()
    server.close()
    await meters.forceFlush()

    const [exported] = metricExporter.getMetrics()
    const all: Metric[] = exported.scopeMetrics[0].metrics
    const told = Object.fromEntries(
      all.map(({ descriptor, dataPoints }) => [
        `${descriptor.name} ${descriptor.unit}`,
        dataPoints.map(({ attributes, value }) => [
          attributes,
          // How long something took is not to be told beforehand.
          typeof value === 'number' ? value : value.count,
        ]),
      ]),
    )
    const paid = { 'hookproof.event.type': 'invoice.paid' }
    const answered = (status: number) => ({ 'http.response.status_code': status })
    expect(told).toEqual({
      'hookproof.receive.duration s': [
        [{ outcome: 'recorded', ...answered(202) }, 1],
        [{ outcome: 'duplicate', ...answered(200) }, 1],
        [{ outcome: 'rejected', ...answered(401), 'hookproof.reason': 'signature_mismatch' }, 1],
      ],
      'hookproof.secret.matched {delivery}': [
        [{ position: 'current' }, 1],
        [{ position: 'previous' }, 1],
      ],
      'hookproof.anomaly {delivery}': [[{ kind: 'delivery_id_mismatch' }, 1]],
      'hookproof.inbox.process.duration s': [
        [{ ...paid, outcome: 'retry', 'error.type': 'RangeError' }, 1],
        [{ ...paid, outcome: 'done' }, 1],
      ],
      'hookproof.inbox.queue.delay s': [[paid, 1]],
      'hookproof.inbox.backlog {delivery}': [
        [{ state: 'due' }, 0],
        [{ state: 'waiting' }, 0],
        [{ state: 'dead' }, 0],
      ],
      'hookproof.inbox.oldest_due.age s': [[{}, 0]],
      'hookproof.inbox.purged {delivery}': [
        [{ action: 'redacted' }, 0],
        [{ action: 'deleted' }, 0],
      ],
    })

    const spans = spanExporter.getFinishedSpans()
    expect(spans.map(({ name }: { name: string }) => name)).toEqual([
      'process invoice.paid',
      'process invoice.paid',
    ])
    expect(spans[1].attributes).toEqual({
      ...paid,
      outcome: 'done',
      'messaging.message.id': 'evt_1',
      'hookproof.attempt': 2,
      'hookproof.resource.id': 'inv_1',
    })
    for (const { links, parentSpanContext } of spans) {
      expect(links).toMatchObject([{ context: { traceId: TRACE, spanId: SPAN, traceFlags: 1 } }])
      expect(parentSpanContext).toBeUndefined()
    }
    const said = spans.map(({ name, attributes, status, events }: Record<string, unknown>) => [
      ...[name, attributes, status, events],
    ])
    expect(JSON.stringify([exported, said])).not.toContain(PRIVATE)
    await meters.shutdown()
  })
})
