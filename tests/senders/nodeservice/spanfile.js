'use strict';
// Writes every span the SDK recorded to a file, one JSON object a line, in the
// form that the Go package tests/senders/spanfile reads.

const fs = require('node:fs');

const KINDS = ['internal', 'server', 'client', 'producer', 'consumer'];
const STATUSES = ['unset', 'ok', 'error'];

// nanoseconds of an HrTime ([seconds, nanoseconds]), as text: a number would
// lose the last digits.
const nanoseconds = ([s, ns]) => (BigInt(s) * 1000000000n + BigInt(ns)).toString();

const noted = (span) => ({
  trace_id: span.spanContext().traceId,
  span_id: span.spanContext().spanId,
  parent_span_id: span.parentSpanContext?.spanId ?? '',
  trace_state: span.spanContext().traceState?.serialize() ?? '',
  name: span.name,
  kind: KINDS[span.kind],
  start_ns: nanoseconds(span.startTime),
  end_ns: nanoseconds(span.endTime),
  status: STATUSES[span.status.code],
  status_message: span.status.message ?? '',
  attributes: span.attributes,
  events: span.events.map((e) => ({ name: e.name, time_ns: nanoseconds(e.time), attributes: e.attributes ?? {} })),
  links: span.links.map((l) => ({ trace_id: l.context.traceId, span_id: l.context.spanId, attributes: l.attributes ?? {} })),
  resource: span.resource.attributes,
  scope_name: span.instrumentationScope.name,
  scope_version: span.instrumentationScope.version ?? '',
});

class SpanFileExporter {
  constructor(path) {
    this.fd = fs.openSync(path, 'w');
  }

  export(spans, done) {
    for (const span of spans) fs.writeSync(this.fd, JSON.stringify(noted(span)) + '\n');
    done({ code: 0 });
  }

  async forceFlush() {}

  async shutdown() {
    fs.closeSync(this.fd);
  }
}

module.exports = { SpanFileExporter };
