// Package requesteventreceiver takes requests, spans and events as newline
// delimited JSON over HTTP: POST /v1/ingest. It exists for senders that have no
// OpenTelemetry SDK, and for logs of requests that already exist as JSON.
//
// Items become ordinary OpenTelemetry data with the names of the semantic
// conventions (requests and spans traces, events logs), so every processor works
// on them and they land in the same tables as what SDKs send.
//
// The files follow a body's way: server.go (listening), ingest.go (the HTTP
// conversation), body.go (lines), item.go and fields.go (one line to pdata),
// batch.go (grouping by resource), deliver.go (the pipelines' answers).
package requesteventreceiver
