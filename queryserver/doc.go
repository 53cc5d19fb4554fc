// Package queryserver answers questions about stored records: the JSON API
// under /api/v1, the live tail, and the web UI.
//
// Files are grouped by prefix. api_*.go are the endpoints: the shapes they take
// and give, from which the OpenAPI document is made. plan_*.go turn a question
// into statements and are pure, so that every statement is pinned by a golden
// file. sql/ holds the statements. The store is a ClickHouse HTTP endpoint, of
// the embedded engine or of a server: internal/clickhouse.
package queryserver
