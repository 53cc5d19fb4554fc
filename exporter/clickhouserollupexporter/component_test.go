package clickhouserollupexporter

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/exporter/clickhouserollupexporter/internal/metadata"
	"github.com/trackwayhq/trackway/internal/configtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func settings() exporter.Settings { return exportertest.NewNopSettings(metadata.Type) }

func TestDefaultConfig(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig()
	require.NoError(t, componenttest.CheckConfigStruct(cfg))
	require.NoError(t, confmap.Validate(cfg))
}

func TestLoadConfig(t *testing.T) {
	for _, tt := range []struct {
		file string
		want string // part of the error; "" when the file is good
	}{
		{"good.yaml", ""},
		{"endpoint_without_scheme.yaml", `clickhouse::endpoint: want a URL such as http://127.0.0.1:8123, got "127.0.0.1:8123"`},
		{"database_with_dash.yaml", `database: want letters, digits and underscores, at most 64, got "my-db"`},
		{"ttl_zero.yaml", "ttl_days: want a number above 0"},
		{"disk_budget_unit.yaml", "disk_budget: disk budget: want bytes such as 200GiB"},
		{"cluster_with_quote.yaml", "cluster: want letters, digits"},
		{"ttl_negative.yaml", "ttl_days"},
		{"queue_batch.yaml", "sending_queue::batch: the exporter forms units of insert itself"},
		{"queue_storage.yaml", "dead_letter::directory: required with sending_queue::storage"},
		{"retry_after_short.yaml", "retry_after: min, max: want 1s or more"},
		{"unit_rows_beyond_block.yaml", "unit: max_rows: want at most 1000000"},
		{"unit_age_zero.yaml", "unit: max_age: want a duration above 0"},
		{"unknown_key.yaml", "create_shema"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			cfg, err := configtest.Load(t, tt.file, "", NewFactory().CreateDefaultConfig())
			if tt.want == "" {
				require.NoError(t, err)
				got := cfg.(*Config)
				assert.Equal(t, "https://ch.test:8443", got.ClickHouse.Endpoint)
				assert.Equal(t, "secret", string(got.Password))
				assert.Equal(t, uint16(7), got.TTLDays)
				assert.Equal(t, component.MustNewIDWithName("live_tail", "x"), *got.LiveTail)
				assert.Equal(t, 20*time.Millisecond, got.Unit.MaxAge)
				assert.True(t, got.Queue.Get().WaitForResult)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestLifecycle(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.ClickHouse.Endpoint = "http://127.0.0.1:1" // nobody there, which must not matter
	f := NewFactory()
	traces, err := f.CreateTraces(context.Background(), settings(), cfg)
	require.NoError(t, err)
	logs, err := f.CreateLogs(context.Background(), settings(), cfg)
	require.NoError(t, err)
	assert.Same(t, traces, logs, "one exporter for both signals")
	assert.False(t, traces.Capabilities().MutatesData)
	for _, c := range []component.Component{traces, logs} {
		require.NoError(t, c.Start(context.Background(), componenttest.NewNopHost()))
	}
	for _, c := range []component.Component{traces, logs} {
		require.NoError(t, c.Shutdown(context.Background()))
	}

	again, err := f.CreateTraces(context.Background(), settings(), cfg)
	require.NoError(t, err)
	assert.NotSame(t, traces, again)
	require.NoError(t, again.Shutdown(context.Background()), "shutdown without start")
}

func TestStartNamesAMissingLiveTail(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	id := component.MustNewID("live_tail")
	cfg.LiveTail = &id
	e, err := NewFactory().CreateTraces(context.Background(), settings(), cfg)
	require.NoError(t, err)
	require.ErrorContains(t, e.Start(context.Background(), componenttest.NewNopHost()), `live_tail: there is no extension "live_tail"`)
	require.NoError(t, e.Shutdown(context.Background()))
}
