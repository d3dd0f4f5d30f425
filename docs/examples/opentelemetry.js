// What an inbox and its receiver tell, as instruments and spans of OpenTelemetry.
//
// npm install hookproof @opentelemetry/api and the SDK that you run anyway. Then, once for the process:
//
//   const onSignal = telemetry({ meter: metrics.getMeter('webhooks'), tracer: trace.getTracer('webhooks') })
//   const inbox = createInbox({ store, handlers, onSignal })
//   const receive = webhook({ secret, inbox, onSignal })
//
// No payload is in any of it, nor the message of an error, which may quote one. Ids are attributes of
// spans, never of metrics: each would be a time series of its own.
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'

/**
 * @param {{ meter: import('@opentelemetry/api').Meter, tracer: import('@opentelemetry/api').Tracer }} sdk
 * @returns {(signal: import('hookproof/node').ReceiveSignal | import('hookproof/inbox').InboxSignal) => void}
 */
export function telemetry({ meter, tracer }) {
  const seconds = (name, description) => meter.createHistogram(name, { unit: 's', description })
  const counter = (name, unit, description) => meter.createCounter(name, { unit, description })
  const gauge = (name, unit, description) => meter.createGauge(name, { unit, description })

  const received = seconds('hookproof.receive.duration', 'From a request to its answer')
  const matched = counter('hookproof.secret.matched', '{delivery}', 'Which secret verified it')
  const anomalies = counter(
    'hookproof.anomaly',
    '{delivery}',
    'What should not be, and harms nothing',
  )
  const processed = seconds('hookproof.inbox.process.duration', 'One attempt at a delivery')
  const delayed = seconds('hookproof.inbox.queue.delay', 'From the receipt to the first attempt')
  const backlog = gauge('hookproof.inbox.backlog', '{delivery}', 'Deliveries by state')
  const oldest = gauge('hookproof.inbox.oldest_due.age', 's', 'Of the oldest one that is due')
  const purged = counter('hookproof.inbox.purged', '{delivery}', 'Bodies and rows cleared away')
  const failures = counter('hookproof.inbox.store_failure', '{failure}', 'The store failed')

  const on = {
    receive({ outcome, status, reason, durationMs, matched: match, warnings = [] }) {
      received.record(durationMs / 1000, {
        outcome,
        'http.response.status_code': status,
        // A wrong secret or a forgery is `rejected` with a reason; a fault on this side is `failed`.
        ...(reason && { 'hookproof.reason': reason }),
      })
      if (match) matched.add(1, { position: match.secret === 0 ? 'current' : 'previous' })
      for (const kind of warnings) anomalies.add(1, { kind })
    },

    process({ delivery, outcome, attempt, durationMs, queueDelayMs, traceparent, error }) {
      const { id, type, resource } = delivery
      const common = {
        'hookproof.event.type': type,
        outcome,
        ...(error !== undefined && { 'error.type': error?.name ?? 'Error' }),
      }
      processed.record(durationMs / 1000, common)
      if (attempt === 1) delayed.record(queueDelayMs / 1000, { 'hookproof.event.type': type })
      const span = tracer.startSpan(`process ${type}`, {
        // A trace of its own, with a link to the request: an attempt may come hours behind it.
        root: true,
        kind: SpanKind.CONSUMER,
        startTime: Date.now() - durationMs,
        links: linksTo(traceparent),
        attributes: {
          ...common,
          'messaging.message.id': id,
          'hookproof.attempt': attempt,
          ...(resource && { 'hookproof.resource.id': resource.id }),
        },
      })
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },

    backlog({ due, waiting, dead, oldestDueMs = 0 }) {
      for (const [state, count] of Object.entries({ due, waiting, dead })) {
        backlog.record(count, { state })
      }
      oldest.record(oldestDueMs / 1000)
    },

    purge({ redacted, deleted }) {
      purged.add(redacted, { action: 'redacted' })
      purged.add(deleted, { action: 'deleted' })
    },

    anomaly: ({ what }) => anomalies.add(1, { kind: what }),

    store_failure: ({ operation }) => failures.add(1, { operation }),
  }
  return (signal) => on[signal.kind](signal)
}

/** The span of the request that brought it, by the `traceparent` of its headers. */
function linksTo(traceparent) {
  if (traceparent === undefined) return []
  const [, traceId, spanId, flags] = traceparent.split('-')
  const traceFlags = Number.parseInt(flags, 16)
  return [{ context: { traceId, spanId, traceFlags, isRemote: true } }]
}
