// Package configtest reads a component's configuration from testdata as a
// collector would.
package configtest

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// Load puts what testdata/file says below the key id, or all of it if id is empty,
// over the defaults in cfg, and validates it. The error is what a collector would
// say at its start.
func Load[C component.Config](t *testing.T, file, id string, cfg C) (C, error) {
	t.Helper()
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", file))
	require.NoError(t, err)
	if id != "" {
		conf, err = conf.Sub(id)
		require.NoError(t, err)
	}
	if err := conf.Unmarshal(cfg); err != nil {
		return cfg, err
	}
	return cfg, confmap.Validate(cfg)
}
