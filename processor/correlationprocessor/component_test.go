package correlationprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/internal/configtest"
	"github.com/trackwayhq/trackway/internal/metadatatest"
	"github.com/trackwayhq/trackway/processor/correlationprocessor/internal/metadata"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFactory(t *testing.T) {
	f := NewFactory()
	assert.Equal(t, "correlation", f.Type().String())
	require.NoError(t, componenttest.CheckConfigStruct(f.CreateDefaultConfig()))
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

func TestLifecycle(t *testing.T) {
	f := NewFactory()
	set := processortest.NewNopSettings(metadata.Type)
	next := consumertest.NewNop()
	traces, err := f.CreateTraces(t.Context(), set, f.CreateDefaultConfig(), next)
	require.NoError(t, err)
	logs, err := f.CreateLogs(t.Context(), set, f.CreateDefaultConfig(), next)
	require.NoError(t, err)
	assert.True(t, traces.Capabilities().MutatesData)
	assert.True(t, logs.Capabilities().MutatesData)
	for _, c := range []component.Component{traces, logs} {
		require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, c.Shutdown(t.Context()))
	}
}

func TestConfig(t *testing.T) {
	for id, want := range map[string]component.Config{
		"correlation": createDefaultConfig(),
		"correlation/own": &Config{
			Keys:           []KeyConfig{{Key: "cart_id", From: []string{"cart.id"}}},
			AdditionalKeys: []KeyConfig{{Key: "user_id", From: []string{"user.id"}}},
			Rename:         map[string]string{"customer": "account_id"},
			BaggagePrefix:  "baggage.", MaxKeys: 4, MaxValueLength: 64,
			CarryForward:    CarryConfig{MaxBytes: defaultCarryBytes, TTL: defaultCarryTTL},
			MaxDistinctKeys: defaultMaxDistinctKeys,
		},
		"correlation/full": &Config{
			Keys: []KeyConfig{{
				Key: "order_id", From: []string{"order.id"}, Headers: []string{"x-order-id"}, Baggage: []string{"order"},
				Query: []string{"order"}, Body: []string{"order.id", "items.0.order"},
			}},
			Paths:     []string{"/orders/{order_id}/**"},
			Normalize: map[string]NormalizeConfig{"order_id": {Trim: true, Lower: true, Replace: []ReplaceConfig{{Pattern: "^ord-", With: ""}}}},
			Hash:      HashConfig{Secret: "0123456789abcdef", Keys: []string{"user_id"}},
			CarryForward: CarryConfig{
				MaxTraces: 1000, MaxBytes: 1 << 20, TTL: time.Minute, Keys: []string{"order_id"},
			},
			MaxKeys: 16, MaxValueLength: 256, MaxDistinctKeys: 32,
		},
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
		"key_with_space.yaml":      `keys::0::key: want 1 to 64 letters, digits, '_', '.' and '-', got "user id"`,
		"from_none.yaml":           `keys::0::from: want the names of one or more attributes, got none`,
		"from_empty.yaml":          `keys::0::from::0: want the name of an attribute`,
		"key_twice.yaml":           `additional_keys::0::key: "user_id" is there already`,
		"rename_to_space.yaml":     `rename::a: want 1 to 64 letters`,
		"limits_not_positive.yaml": "max_keys: want a number above 0, got 0\nmax_value_length: want a number of bytes above 0, got -1",
		"unknown_key.yaml":         `has invalid keys: from`,
		"body_path.yaml":           `keys::0::body::0: want names joined by dots, such as order.items.0.id, got "order..id"`,
		"header_empty.yaml":        `keys::0::headers::0: want the name of a header, got nothing`,
		"path_relative.yaml":       `paths::0: want a path that begins with /, such as /orders/{order_id}, got "orders/{id}"`,
		"path_without_key.yaml":    `paths::0: want one or more {key} in at most 32 segments, got "/orders/*"`,
		"path_rest_inside.yaml":    `paths::0: want ** at the end, got "/**/{id}"`,
		"path_brace_open.yaml":     `paths::0: want segments that are text, {key} or *, got "/orders/{id"`,
		"path_key_twice.yaml":      `paths::0: want each key once`,
		"pattern.yaml":             "normalize::order_id::replace::0::pattern: want an RE2 expression, got \"(\": error parsing regexp",
		"secret_short.yaml":        `hash::secret: want at least 16 bytes, got 3`,
		"hash_no_keys.yaml":        `hash::keys: want the keys to hash, or "*", got none`,
		"carry_limits.yaml":        "carry_forward::max_bytes: want a number of bytes above 0, got 0\ncarry_forward::ttl: want a time above 0, got 0s",
		"carry_key.yaml":           `carry_forward::keys::0: want 1 to 64 letters`,
		"distinct_negative.yaml":   `max_distinct_keys: want 0 or more, got -1`,
	} {
		t.Run(file, func(t *testing.T) {
			_, err := configtest.Load(t, file, "correlation", createDefaultConfig())
			require.ErrorContains(t, err, want)
		})
	}
}
