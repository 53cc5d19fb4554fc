package bench

import (
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// contribDatabase holds the tables of the upstream exporter.
const contribDatabase = "otel"

// contribConfig is a collector with the upstream exporter in place of ours, on the
// same addresses. Its queue is the best it has: persistent, synced, in batches as
// large as our units.
const contribConfig = `
extensions:
  health_check:
    endpoint: ${env:TRACKWAY_HEALTH_ENDPOINT}
  file_storage:
    directory: ${env:TRACKWAY_DATA}/queue
    create_directory: true
    fsync: true
receivers:
  otlp:
    protocols:
      http:
        endpoint: ${env:TRACKWAY_OTLP_HTTP_ENDPOINT}
exporters:
  clickhouse:
    endpoint: ${env:TRACKWAY_CLICKHOUSE_ENDPOINT}
    username: ${env:TRACKWAY_CLICKHOUSE_USER}
    password: ${env:TRACKWAY_CLICKHOUSE_PASSWORD}
    database: ` + contribDatabase + `
    ttl: 720h
    async_insert: false
    create_schema: true
    sending_queue:
      enabled: true
      storage: file_storage
      sizer: items
      queue_size: 1000000
      num_consumers: 4
      batch:
        flush_timeout: 500ms
        min_size: 25000
        max_size: 50000
        sizer: items
    retry_on_failure:
      max_elapsed_time: 0s
service:
  extensions: [health_check, file_storage]
  telemetry:
    logs: {disable_stacktrace: true}
    metrics: {level: none}
  pipelines:
    traces: {receivers: [otlp], exporters: [clickhouse]}
    logs: {receivers: [otlp], exporters: [clickhouse]}
`

// contrib sends the same OTLP traffic at the same rate, below what either sustains.
func (b *Bench) contrib() []*arm {
	spec := b.spec(workload.OTLP, mix, 16, 500, 10_000, 15)
	upstream := func(storage bool) func(stack.Config) (stack.Config, error) {
		return func(stack.Config) (stack.Config, error) {
			c, err := stack.ParseConfig(contribConfig)
			if err == nil && !storage {
				c.Remove("exporters", "clickhouse", "sending_queue", "storage")
				c.Set([]any{"health_check"}, "service", "extensions")
				c.Remove("extensions", "file_storage")
			}
			return c, err
		}
	}
	return []*arm{
		{name: "trackway, no processors", spec: spec, change: func(c stack.Config) (stack.Config, error) {
			c.Processors("project")
			return c, nil
		}},
		{name: "trackway", spec: spec},
		{name: "upstream, file_storage", spec: spec, contrib: true, probes: none, change: upstream(true), notes: []string{
			"clickhouseexporter of contrib in the same collector binary and engine; sending_queue over file_storage with fsync; batches of 8,192 to 50,000 items after at most 500 ms, as our units; " +
				"it writes otel_traces and otel_logs (with their own indexes and the trace id view) over HTTP, one row an item, without requests, rollups, journey or facets",
		}},
		{name: "upstream, in memory", spec: spec, contrib: true, probes: none, change: upstream(false), notes: []string{
			"the same with a queue in memory: an answer promises nothing",
		}},
	}
}
