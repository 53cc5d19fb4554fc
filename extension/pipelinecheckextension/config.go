package pipelinecheckextension

import "go.opentelemetry.io/collector/component"

// Config of the pipeline_check extension.
type Config struct {
	// Strict makes findings end the start instead of being logged.
	Strict bool `mapstructure:"strict"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config { return &Config{} }
