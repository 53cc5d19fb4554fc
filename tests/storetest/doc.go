// Package storetest runs the scripts in testdata, written in the language of
// internal/storetest, through the real programs: items go to the collector as
// NDJSON, questions to the query server.
//
// The store is an embedded engine of the test's own, or the ClickHouse HTTP
// endpoint in TRACKWAY_TEST_CLICKHOUSE (http://user:password@host:port), where a
// database of the test's own is made and dropped.
package storetest
