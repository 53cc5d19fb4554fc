// Package metadata holds what metadata.yaml declares: type, stability and telemetry.
package metadata

import "go.opentelemetry.io/collector/component"

// Type of the component in configurations.
var Type = component.MustNewType("clickhouse_rollup")

// ScopeName is the instrumentation scope of the component's own telemetry.
const ScopeName = "github.com/trackwayhq/trackway/exporter/clickhouserollupexporter"

// Stability by signal.
const (
	TracesStability = component.StabilityLevelDevelopment
	LogsStability   = component.StabilityLevelDevelopment
)
