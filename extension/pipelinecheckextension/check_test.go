package pipelinecheckextension

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/trackwayhq/trackway/extension/pipelinecheckextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/metadatatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMetadata(t *testing.T) {
	metadatatest.Check(t, metadata.Type, map[string]component.StabilityLevel{"extension": metadata.ExtensionStability},
		func(component.TelemetrySettings) error { return nil })
	require.NoError(t, componenttest.CheckConfigStruct(NewFactory().CreateDefaultConfig()))
}

func load(t *testing.T, path string) *confmap.Conf {
	t.Helper()
	conf, err := confmaptest.LoadConf(path)
	require.NoError(t, err)
	return conf
}

// What ships has nothing wrong with it.
func TestShippedConfigurations(t *testing.T) {
	for _, name := range []string{"standalone.yaml", "gateway.yaml", "agent.yaml"} {
		assert.Empty(t, check(load(t, filepath.Join("..", "..", "config", name)).ToStringMap()), name)
	}
}

func TestFindings(t *testing.T) {
	conf := load(t, filepath.Join("testdata", "everything_wrong.yaml"))
	assert.Equal(t, []finding{
		{"service::pipelines::logs::processors", "want project first: the authentication context does not survive what comes before, and without it senders choose their project"},
		{"service::pipelines::traces::processors", "want project first: the authentication context does not survive what comes before, and without it senders choose their project"},
		{"service::pipelines::traces::processors", "memory_limiter: " + unsafe["memory_limiter"]},
		{"service::pipelines::traces::processors", "batch/small: " + unsafe["batch"]},
		{"service::pipelines::traces::processors", "correlation: want it behind request_redaction, or secrets become correlation keys before they are masked"},
		{"receivers::otlp::protocols::http", "compression_algorithms: want [], or no snappy among them: the server inflates such bodies whole before admission bounds them"},
	}, check(conf.ToStringMap()))
	assert.Empty(t, check(map[string]any{}))
}

func TestWarningsAndErrors(t *testing.T) {
	snapshot := extensioncapabilities.NewConfigSnapshot(load(t, filepath.Join("testdata", "everything_wrong.yaml")), nil)
	core, logs := observer.New(zap.WarnLevel)
	set := extensiontest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	cfg := createDefaultConfig().(*Config)
	e, err := NewFactory().Create(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, e.(extensioncapabilities.ConfigSnapshotWatcher).NotifyConfigSnapshot(t.Context(), snapshot))
	assert.Equal(t, 6, logs.Len())
	cfg.Strict = true
	err = e.(extensioncapabilities.ConfigSnapshotWatcher).NotifyConfigSnapshot(t.Context(), snapshot)
	require.ErrorContains(t, err, "service::pipelines::traces::processors: batch/small: it answers senders before their data is stored")
	require.NoError(t, e.Shutdown(t.Context()))
}
