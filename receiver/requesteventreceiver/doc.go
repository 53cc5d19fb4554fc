// Package requesteventreceiver takes requests, spans and events as newline
// delimited JSON over HTTP: POST /v1/ingest. It exists for senders that have no
// OpenTelemetry SDK, and for logs of requests that already exist as JSON.
//
// Items become ordinary OpenTelemetry data with the names of the semantic
// conventions (requests and spans traces, events logs), so every processor works
// on them and they land in the same tables as what SDKs send.
//
// The files follow a body's way: server.go listens, guard.go and ingest.go hold
// the HTTP conversation, inflight.go bounds the memory of all bodies, lines.go cuts
// one, decode.go decodes a line with the scanner of the scan*.go files, item.go,
// fields.go, timestamp.go and attributes.go check it, span.go and event.go write it
// into batch.go's and builder.go's pdata, deliver.go hands that to the pipelines,
// answer.go answers.
//
// Texts are not copied out of the body: what is read of it is never written to
// again, and items point into it.
package requesteventreceiver
