// Package clickhouse is a small client of ClickHouse's HTTP interface for
// administrative work: migrations, retention, erasure, adoption. It speaks to the
// embedded engine and to a server alike, sends statements as they are written and
// gives answers as text, so that what a command prints is what was sent.
package clickhouse
