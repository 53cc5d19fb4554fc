package ledgerextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/trackwayhq/trackway/extension/ledgerextension/internal/metadata"
)

// NewFactory returns the factory of the ledger extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig,
		func(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
			return newExtension(set, cfg.(*Config)), nil
		}, metadata.ExtensionStability)
}
