package requesteventreceiver

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/internal/configtest"
	"github.com/trackwayhq/trackway/internal/metadatatest"
	"github.com/trackwayhq/trackway/receiver/requesteventreceiver/internal/metadata"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFactory(t *testing.T) {
	f := NewFactory()
	assert.Equal(t, "request_event", f.Type().String())
	require.NoError(t, componenttest.CheckConfigStruct(f.CreateDefaultConfig()))
	require.NoError(t, confmap.Validate(f.CreateDefaultConfig()))
}

func TestMetadata(t *testing.T) {
	metadatatest.Check(t, metadata.Type, map[string]component.StabilityLevel{
		"traces": metadata.TracesStability,
		"logs":   metadata.LogsStability,
	}, func(set component.TelemetrySettings) error {
		_, err := metadata.NewTelemetryBuilder(set)
		return err
	})
}

// Both pipelines hold one receiver: it starts once, listens on one port and is
// gone after both have shut it down.
func TestLifecycleOfASharedReceiver(t *testing.T) {
	f := NewFactory()
	cfg := f.CreateDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = "127.0.0.1:0"
	set := receivertest.NewNopSettings(metadata.Type)
	for range 2 { // it can be made again from the same configuration
		traces, err := f.CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
		require.NoError(t, err)
		logs, err := f.CreateLogs(t.Context(), set, cfg, consumertest.NewNop())
		require.NoError(t, err)
		require.Same(t, traces, logs)
		require.NoError(t, traces.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, logs.Start(t.Context(), componenttest.NewNopHost()))
		addr := traces.(*shared).listener.Addr().String()
		resp, err := http.Post("http://"+addr+ingestPath, "", strings.NewReader(`{"type":"request"}`))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, http.StatusOK, resp.StatusCode)
		http.DefaultClient.CloseIdleConnections()
		require.NoError(t, traces.Shutdown(t.Context()))
		require.NoError(t, logs.Shutdown(t.Context()))
	}
}

func TestShutdownWithoutStart(t *testing.T) {
	f := NewFactory()
	traces, err := f.CreateTraces(t.Context(), receivertest.NewNopSettings(metadata.Type), f.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, traces.Shutdown(t.Context()))
}

func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	f := NewFactory()
	cfg := f.CreateDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = l.Addr().String()
	traces, err := f.CreateTraces(t.Context(), receivertest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.ErrorContains(t, traces.Start(t.Context(), componenttest.NewNopHost()), "http::endpoint "+l.Addr().String())
	require.NoError(t, traces.Shutdown(t.Context()))
}

func load(t *testing.T, file, id string) (*Config, error) {
	t.Helper()
	return configtest.Load(t, file, id, createDefaultConfig().(*Config))
}

func TestConfig(t *testing.T) {
	cfg, err := load(t, "config.yaml", "request_event")
	require.NoError(t, err)
	assert.Equal(t, createDefaultConfig(), cfg)

	cfg, err = load(t, "config.yaml", "request_event/full")
	require.NoError(t, err)
	assert.Equal(t, "0.0.0.0:4319", cfg.HTTP.NetAddr.Endpoint)
	assert.True(t, cfg.HTTP.Auth.HasValue())
	assert.True(t, cfg.HTTP.TLS.HasValue())
	assert.Equal(t, int64(1<<20), cfg.MaxRequestBytes)
	assert.Equal(t, int64(2<<20), cfg.MaxDecodedBytes)
	assert.Equal(t, int64(4<<20), cfg.MaxInflightBytes)
	assert.Equal(t, 64<<10, cfg.MaxLineBytes)
	assert.Equal(t, 1000, cfg.MaxItems)
	assert.Equal(t, 4096, cfg.MaxBodyBytes)
	assert.Equal(t, 64, cfg.MaxAttributes)
	assert.Equal(t, 7*24*time.Hour, cfg.MaxAge)
	assert.Equal(t, 10, cfg.MaxErrors)
	assert.Equal(t, 10*time.Second, cfg.Timeout)
	assert.Equal(t, 5*time.Second, cfg.RetryAfter)
	assert.Equal(t, []string{"collector.internal"}, cfg.AllowedHosts)
}

func TestBadConfigs(t *testing.T) {
	for file, wants := range map[string][]string{
		"endpoint_open_without_auth.yaml": {`http::endpoint: "0.0.0.0:4319" is reachable from other machines`},
		"http_max_request_body_size.yaml": {"http::max_request_body_size: use max_request_bytes"},
		"limits_not_positive.yaml": {
			"max_request_bytes: want a number above 0, got 0", "max_decoded_bytes: want a number above 0, got 0", "max_line_bytes: want", "max_items: want a number above 0, got -1",
			"max_body_bytes: want", "max_attributes: want", "max_errors: want 0 or more", "max_age: want a duration above 0", "retry_after: want 1s or more",
			"max_inflight_bytes: want max_request_bytes (0) or more, got -1",
			"timeout: want a duration above 0 and below http::write_timeout (30s), got 30s",
		},
		"unknown_key.yaml": {"has invalid keys: endpoint"},
	} {
		t.Run(file, func(t *testing.T) {
			_, err := load(t, file, "request_event")
			for _, want := range wants {
				require.ErrorContains(t, err, want)
			}
		})
	}
}
