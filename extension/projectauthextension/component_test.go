package projectauthextension

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/extension/projectauthextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/configtest"
	"github.com/trackwayhq/trackway/internal/metadatatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMetadata(t *testing.T) {
	metadatatest.Check(t, metadata.Type, map[string]component.StabilityLevel{"extension": metadata.ExtensionStability},
		func(set component.TelemetrySettings) error {
			_, err := metadata.NewTelemetryBuilder(set)
			return err
		})
}

func TestConfig(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(NewFactory().CreateDefaultConfig()))
	want := createDefaultConfig().(*Config)
	want.QueryServer.Endpoint, want.Token = "https://trackway.example", "secret"
	cfg, err := load(t, "config.yaml", "project_auth")
	require.NoError(t, err)
	assert.Equal(t, want, cfg)

	want.QueryServer.Timeout = 20 * time.Second
	want.CacheFile, want.MaxStale, want.Wait, want.MaxTableBytes = "/var/lib/trackway/keys.json", time.Hour, 10*time.Second, 1<<20
	want.Keys = []KeyConfig{{Key: "twk_0123456789abcdef", Project: "shop"}}
	cfg, err = load(t, "config.yaml", "project_auth/all")
	require.NoError(t, err)
	assert.Equal(t, want, cfg)

	cfg, err = load(t, "config.yaml", "project_auth/static")
	require.NoError(t, err)
	assert.Len(t, cfg.(*Config).Keys, 1)
}

func TestBadConfigs(t *testing.T) {
	for file, want := range map[string]string{
		"no_endpoint.yaml":             `query_server::endpoint: required unless there are keys`,
		"endpoint_without_scheme.yaml": `query_server::endpoint: want a URL such as https://trackway.example, got "trackway.example:8080"`,
		"token_missing.yaml":           `token: required with query_server::endpoint`,
		"max_stale_zero.yaml":          `max_stale: want a duration above 0 such as 24h, got 0s`,
		"timeout_below_wait.yaml":      `query_server::timeout: want more than wait (30s), got 5s`,
		"cache_without_endpoint.yaml":  `cache_file: there is nothing to keep without query_server::endpoint`,
		"key_too_short.yaml":           `keys::0::key: want 16 to 256 characters of A-Z, a-z, 0-9 and -._~+/=, got 5 bytes`,
		"key_and_hash.yaml":            `keys::0::key: want either key or hash`,
		"hash_not_hex.yaml":            `keys::0::hash: want the SHA-256 of the key in 64 hexadecimal digits, got 3 characters`,
		"key_project_uppercase.yaml":   `keys::0::project: want 1 to 40 characters of a-z, 0-9 and -, got "Shop"`,
		"unknown_key.yaml":             `has invalid keys: secret`,
	} {
		t.Run(file, func(t *testing.T) {
			_, err := load(t, file, "project_auth")
			require.ErrorContains(t, err, want)
		})
	}
}

func load(t *testing.T, file, id string) (component.Config, error) {
	t.Helper()
	return configtest.Load(t, file, id, createDefaultConfig())
}

// start runs an extension until the test ends.
func start(t testing.TB, cfg *Config) *projectAuth {
	t.Helper()
	require.NoError(t, confmap.Validate(cfg))
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(t.Context())) })
	return e.(*projectAuth)
}

func TestSameKeyForTwoProjectsIsRefused(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Keys = []KeyConfig{{Key: "twk_0123456789abcdef", Project: "shop"}, {Key: "twk_0123456789abcdef", Project: "blog"}}
	_, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.ErrorContains(t, err, "keys::1: the key is there twice, for project shop and for project blog")
}

// serve gives the address of handler on loopback.
func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}
