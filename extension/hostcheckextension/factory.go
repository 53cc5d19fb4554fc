package hostcheckextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/trackwayhq/trackway/extension/hostcheckextension/internal/metadata"
)

// NewFactory returns the factory of the host_check extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig,
		func(_ context.Context, _ extension.Settings, cfg component.Config) (extension.Extension, error) {
			return &hostCheck{cfg: cfg.(*Config)}, nil
		}, metadata.ExtensionStability)
}
