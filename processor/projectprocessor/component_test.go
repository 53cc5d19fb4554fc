package projectprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/internal/configtest"
	"github.com/trackwayhq/trackway/internal/metadatatest"
	"github.com/trackwayhq/trackway/processor/projectprocessor/internal/metadata"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFactory(t *testing.T) {
	f := NewFactory()
	assert.Equal(t, "project", f.Type().String())
	require.NoError(t, componenttest.CheckConfigStruct(f.CreateDefaultConfig()))
}

func TestMetadata(t *testing.T) {
	metadatatest.Check(t, metadata.Type, map[string]component.StabilityLevel{
		"traces":  metadata.TracesStability,
		"logs":    metadata.LogsStability,
		"metrics": metadata.MetricsStability,
	}, func(set component.TelemetrySettings) error {
		_, err := metadata.NewTelemetryBuilder(set)
		return err
	})
}

func TestLifecycle(t *testing.T) {
	f := NewFactory()
	set := processortest.NewNopSettings(metadata.Type)
	next := consumertest.NewNop()
	traces, err := f.CreateTraces(t.Context(), set, f.CreateDefaultConfig(), next)
	require.NoError(t, err)
	logs, err := f.CreateLogs(t.Context(), set, f.CreateDefaultConfig(), next)
	require.NoError(t, err)
	metrics, err := f.CreateMetrics(t.Context(), set, f.CreateDefaultConfig(), next)
	require.NoError(t, err)
	assert.True(t, traces.Capabilities().MutatesData)
	assert.True(t, logs.Capabilities().MutatesData)
	assert.True(t, metrics.Capabilities().MutatesData)
	for _, c := range []component.Component{traces, logs, metrics} {
		require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, c.Shutdown(t.Context()))
	}
}

func TestConfig(t *testing.T) {
	ledger := component.MustNewIDWithName("ledger", "main")
	for id, want := range map[string]*Config{
		"project/ledger":    {AuthAttribute: "trackway.project", Ledger: &ledger},
		"project":           {AuthAttribute: "trackway.project"},
		"project/default":   {AuthAttribute: "trackway.project", DefaultProject: "shop-eu"},
		"project/attribute": {AuthAttribute: "tenant"},
	} {
		t.Run(id, func(t *testing.T) {
			cfg, err := configtest.Load(t, "config.yaml", id, createDefaultConfig())
			require.NoError(t, err)
			assert.Equal(t, want, cfg)
		})
	}
}

func TestBadConfigs(t *testing.T) {
	for file, want := range map[string]string{
		"default_project_uppercase.yaml": `default_project: want 1 to 40 characters of a-z, 0-9 and -, got "Shop"`,
		"auth_attribute_empty.yaml":      `auth_attribute: want the name of an attribute`,
		"unknown_key.yaml":               `has invalid keys: project`,
	} {
		t.Run(file, func(t *testing.T) {
			_, err := configtest.Load(t, file, "project", createDefaultConfig())
			require.ErrorContains(t, err, want)
		})
	}
}
