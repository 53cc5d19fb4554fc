// Package metadata holds what metadata.yaml declares: type and stability.
package metadata

import "go.opentelemetry.io/collector/component"

// Type of the component in configurations.
var Type = component.MustNewType("live_tail")

// ExtensionStability is the stability of the extension.
const ExtensionStability = component.StabilityLevelDevelopment
