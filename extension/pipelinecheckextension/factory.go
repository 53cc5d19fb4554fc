package pipelinecheckextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/trackwayhq/trackway/extension/pipelinecheckextension/internal/metadata"
)

// NewFactory returns the factory of the pipeline_check extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig,
		func(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
			return &pipelineCheck{cfg: cfg.(*Config), set: set}, nil
		}, metadata.ExtensionStability)
}
