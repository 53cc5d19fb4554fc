// Package schema is the ClickHouse schema of Trackway, one statement a file under
// sql/. Rollups, journey and trace index are tables like the others: what is in them is
// made of the records by internal/columns, which inserts both.
//
// The exporter creates it and the query server reads it, so both take names and
// formulas (latency buckets, trace hash) from here. Statements are idempotent:
// every one says IF NOT EXISTS. The table schema_version marks which version a
// database has, so that a migration can find where to start and an exporter can
// refuse a database that a newer release has changed.
package schema
