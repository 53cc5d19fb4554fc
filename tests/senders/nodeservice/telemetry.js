'use strict';
// Starts the SDK before anything else is loaded (node --require ./telemetry.js).
// The standard OTEL_* variables configure the exporter; SPAN_FILE names the
// file in which every recorded span is noted.

const { NodeSDK, tracing } = require('@opentelemetry/sdk-node');
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-proto');
const { getNodeAutoInstrumentations } = require('@opentelemetry/auto-instrumentations-node');
const { SpanFileExporter } = require('./spanfile');

// In a handler the active span is the one of Express, below the request's own.
// What the business knows belongs on the request as well, to find it by.
const nameBusiness = (span, request) => {
  const { userId, orderId } = request.params ?? {};
  if (userId) span.setAttribute('user.id', userId);
  if (orderId) span.setAttribute('order.id', orderId);
};

const sdk = new NodeSDK({
  instrumentations: [
    getNodeAutoInstrumentations({
      '@opentelemetry/instrumentation-http': { applyCustomAttributesOnSpan: nameBusiness },
    }),
  ],
  spanProcessors: [
    new tracing.BatchSpanProcessor(new OTLPTraceExporter(), { scheduledDelayMillis: 200 }),
    new tracing.SimpleSpanProcessor(new SpanFileExporter(process.env.SPAN_FILE)),
  ],
});
sdk.start();

module.exports = { sdk };
