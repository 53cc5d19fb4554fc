// Package metadata holds what metadata.yaml declares: type, stability and telemetry.
package metadata

import "go.opentelemetry.io/collector/component"

// Type of the component in configurations.
var Type = component.MustNewType("admission")

// ScopeName is the instrumentation scope of the component's own telemetry.
const ScopeName = "github.com/trackwayhq/trackway/extension/admissionextension"

// ExtensionStability is the stability of the extension.
const ExtensionStability = component.StabilityLevelDevelopment
