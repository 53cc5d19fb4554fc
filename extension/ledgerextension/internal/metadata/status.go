// Package metadata holds what metadata.yaml declares: type, stability and
// instruments.
package metadata

import "go.opentelemetry.io/collector/component"

// Type of the component in configurations.
var Type = component.MustNewType("ledger")

// ScopeName of the component's own telemetry.
const ScopeName = "github.com/trackwayhq/trackway/extension/ledgerextension"

// ExtensionStability of the component.
const ExtensionStability = component.StabilityLevelDevelopment
