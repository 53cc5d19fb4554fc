'use strict';
// Starts the SDK before anything else is loaded (node --require ./telemetry.js).
// The standard OTEL_* variables configure the exporter; SPAN_FILE names the
// file in which every recorded span is noted.

const { NodeSDK, tracing } = require('@opentelemetry/sdk-node');
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-proto');
const { getNodeAutoInstrumentations } = require('@opentelemetry/auto-instrumentations-node');
const { SpanFileExporter } = require('./spanfile');

const sdk = new NodeSDK({
  instrumentations: [getNodeAutoInstrumentations()],
  spanProcessors: [
    new tracing.BatchSpanProcessor(new OTLPTraceExporter(), { scheduledDelayMillis: 200 }),
    new tracing.SimpleSpanProcessor(new SpanFileExporter(process.env.SPAN_FILE)),
  ],
});
sdk.start();

module.exports = { sdk };
