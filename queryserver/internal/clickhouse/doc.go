// Package clickhouse sends read-only statements to a ClickHouse HTTP endpoint,
// of the embedded engine or of a server, and reads their rows.
//
// Rows travel as RowBinary: LowCardinality and the client's protocol revision do
// not show in it, so that one small reader fits every engine, and a row is read
// straight into the fields it is for.
//
// Format: https://clickhouse.com/docs/interfaces/formats/RowBinary
package clickhouse
