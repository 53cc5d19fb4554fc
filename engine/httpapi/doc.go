// Package httpapi serves ClickHouse's HTTP interface over an embedded engine, so
// that drivers, Grafana and curl talk to it as they talk to a server.
//
// A request becomes one statement on a connection of its own (or on that of its
// session_id), with its URL parameters as the connection's settings. Results and
// the rows of an INSERT pass through in pieces of at most a few MiB. What a
// client can observe (parameters, headers, status codes, error texts, an
// exception behind the first rows) follows the HTTP interface chapter of
// ClickHouse's documentation, release 26.
package httpapi
