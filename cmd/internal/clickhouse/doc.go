// Package clickhouse asks the HTTP interface of an engine or a ClickHouse server,
// for the commands that measure what is stored.
package clickhouse
