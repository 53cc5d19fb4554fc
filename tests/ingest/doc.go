// Package ingest tests what senders meet at the front door: OTLP in each of its
// transports and encodings, NDJSON good and bad, and that one sender's mistakes
// leave everybody else's data alone.
package ingest
