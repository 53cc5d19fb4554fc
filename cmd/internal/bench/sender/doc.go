// Package sender offers prepared bodies to an ingest endpoint and measures how
// they are answered.
//
// It runs as a process of its own, so that what sending costs is counted apart
// from what is measured, and it is made to cost little: HTTP/1.1 over connections
// that stay open, bytes prepared before the clock starts, answers read without a
// client library. A parent drives it through Spec on stdin and Message on stdout.
package sender
