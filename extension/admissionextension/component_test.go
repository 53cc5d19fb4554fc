package admissionextension

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/extension/admissionextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/admission"
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
	cfg, err := load(t, "config.yaml", "admission")
	require.NoError(t, err)
	assert.Equal(t, createDefaultConfig(), cfg)

	cfg, err = load(t, "config.yaml", "admission/all")
	require.NoError(t, err)
	id := component.MustNewIDWithName("project_auth", "main")
	assert.Equal(t, &Config{
		MaxRequestBytes: 1 << 20, MaxMessageBytes: 1 << 19, MaxDecodedBytes: 1 << 20, MaxInProgressBytes: 1 << 21, MaxWaitingCalls: 6, ReceiveTimeout: 5 * time.Second,
		Authenticator: &id, AuthAttribute: "tenant",
		Limits: admission.Limits{ItemsPerSecond: 1, BytesPerSecond: 2, ItemsPerDay: 3, BytesPerDay: 4},
		Burst:  time.Minute, UsageFile: "/var/lib/trackway/usage.json", FlushInterval: 2 * time.Second, MaxProjects: 5,
	}, cfg)
}

func TestBadConfigs(t *testing.T) {
	for file, want := range map[string]string{
		"max_request_bytes_zero.yaml": `max_request_bytes: want a number of 1 or more, got 0`,
		"in_progress_below_one.yaml":  `max_in_progress_bytes: want at least max_decoded_bytes and the larger of max_request_bytes and max_message_bytes together (121634816), got 1048576`,
		"limit_negative.yaml":         `limits::bytes_per_day: want a number of 0 or more, got -1`,
		"burst_zero.yaml":             `burst: want a duration above 0 such as 10s, got 0s`,
		"auth_attribute_empty.yaml":   `auth_attribute: want the name of an attribute`,
		"unknown_limit.yaml":          `has invalid keys: items_per_minute`,
	} {
		t.Run(file, func(t *testing.T) {
			_, err := load(t, file, "admission")
			require.ErrorContains(t, err, want)
		})
	}
}

func load(t *testing.T, file, id string) (component.Config, error) {
	t.Helper()
	return configtest.Load(t, file, id, createDefaultConfig())
}

// host has extensions.
type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

// start runs an extension until the test ends.
func start(t testing.TB, cfg *Config, extensions host) *admissionExtension {
	t.Helper()
	require.NoError(t, confmap.Validate(cfg))
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), extensions))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(t.Context())) })
	return e.(*admissionExtension)
}

func TestAuthenticatorMustBeOne(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	id := component.MustNewID("project_auth")
	cfg.Authenticator = &id
	e, err := newExtension(extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	assert.Equal(t, []component.ID{id}, e.Dependencies())
	require.EqualError(t, e.Start(t.Context(), host{}), "authenticator: extension project_auth is not there: add it to service::extensions")
	require.EqualError(t, e.Start(t.Context(), host{id: e}), "authenticator: extension project_auth does not authenticate senders")
	require.NoError(t, e.Shutdown(t.Context()))
}
