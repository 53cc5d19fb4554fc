// Package contrib shows that the upstream clickhouseexporter, in our collector
// binary, works against the embedded engine as it does against a ClickHouse
// server: it creates its tables and writes traces, logs and metrics whose counts
// and values are those that a Go SDK sent.
package contrib
