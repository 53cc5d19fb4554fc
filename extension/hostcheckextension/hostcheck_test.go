package hostcheckextension

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/extension/hostcheckextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/configtest"
	"github.com/trackwayhq/trackway/internal/metadatatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMetadata(t *testing.T) {
	metadatatest.Check(t, metadata.Type, map[string]component.StabilityLevel{"extension": metadata.ExtensionStability},
		func(component.TelemetrySettings) error { return nil })
}

func TestConfig(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(NewFactory().CreateDefaultConfig()))
	cfg, err := load(t, "config.yaml", "host_check/open")
	require.NoError(t, err)
	assert.Equal(t, &Config{AllowedHosts: []string{"collector.local"}, AllowedOrigins: []string{"https://example.com"}}, cfg)
	cfg, err = load(t, "config.yaml", "host_check")
	require.NoError(t, err)
	assert.Equal(t, createDefaultConfig(), cfg)
}

func TestBadConfigs(t *testing.T) {
	for file, want := range map[string]string{
		"allowed_hosts_with_port.yaml":        `allowed_hosts::0: want a name without scheme, port or pattern, got "collector.local:4318"`,
		"allowed_origins_without_scheme.yaml": `allowed_origins::0: want an origin such as https://example.com, got "example.com"`,
		"unknown_key.yaml":                    `has invalid keys: hosts`,
	} {
		t.Run(file, func(t *testing.T) {
			_, err := load(t, file, "host_check")
			require.ErrorContains(t, err, want)
		})
	}
}

func load(t *testing.T, file, id string) (component.Config, error) {
	t.Helper()
	return configtest.Load(t, file, id, createDefaultConfig())
}

func TestRequests(t *testing.T) {
	cfg := &Config{AllowedHosts: []string{"collector.local"}, AllowedOrigins: []string{"https://example.com"}}
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	defer func() { require.NoError(t, e.Shutdown(t.Context())) }()
	wrap, err := e.(extensionmiddleware.HTTPServer).GetHTTPHandler(t.Context())
	require.NoError(t, err)
	handler, err := wrap(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	require.NoError(t, err)

	for name, tt := range map[string]struct {
		host, origin string
		want         int
	}{
		"an SDK on this machine":    {"127.0.0.1:4318", "", http.StatusNoContent},
		"an allowed name":           {"collector.local:4318", "", http.StatusNoContent},
		"a name made to point here": {"rebound.example:4318", "", http.StatusForbidden},
		"a web page":                {"127.0.0.1:4318", "https://example.org", http.StatusForbidden},
		"an allowed page":           {"127.0.0.1:4318", "https://example.com", http.StatusNoContent},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/traces", http.NoBody)
			r.Host = tt.host
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			assert.Equal(t, tt.want, w.Code, w.Body.String())
		})
	}
}
