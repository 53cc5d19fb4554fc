// Package metadata holds what metadata.yaml declares: type and stability.
package metadata

import "go.opentelemetry.io/collector/component"

// Type of the component in configurations.
var Type = component.MustNewType("pipeline_check")

// ExtensionStability of the component.
const ExtensionStability = component.StabilityLevelDevelopment
