// Package clickhousego drives the embedded engine with clickhouse-go over HTTP,
// as a user's program would: every column type written and read back, query
// parameters, compression, cancellation, concurrency and large inserts.
package clickhousego
