// Package pipelinecheckextension looks at the collector's effective configuration
// and names what breaks the promises of the clickhouse_rollup exporter: components
// in front of it that answer before data is safe, and processors in an order in
// which they cannot do their work. Such pipelines run well until something stops.
package pipelinecheckextension
