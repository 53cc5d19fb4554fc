// Command goservice is a real sender: an HTTP service instrumented with
// otelhttp and the OTLP exporter, as a user would write it. Beside the OTLP
// exporter a second span processor notes every recorded span in a file
// (package spanfile). The standard OTEL_* variables configure the exporter;
// SPAN_FILE names the file and PEER_URL the service that /orders calls.
package main
