// Package redaction tests that no secret reaches a disk or a reader: a corpus
// written apart from the rules puts random secrets, plain and encoded, into every
// place of traces, logs, metrics and NDJSON, sends it to the real binaries, and
// searches everything they leave behind. The same search without redaction finds
// each secret, so the test can fail. A second corpus has no secrets and must stay
// as it is.
package redaction
