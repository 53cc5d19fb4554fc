package requestredactionprocessor

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
	"github.com/trackwayhq/trackway/processor/requestredactionprocessor/internal/metadata"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFactory(t *testing.T) {
	f := NewFactory()
	assert.Equal(t, "request_redaction", f.Type().String())
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
	for id, want := range map[string]component.Config{
		"request_redaction": createDefaultConfig(),
		"request_redaction/own": &Config{
			Keys: []string{"password"}, AdditionalKeys: []string{"x_internal_*"},
			ExceptKeys: []string{"reset_password"}, ExceptValues: []string{"support@shop.example"}, ExceptPatterns: []string{`.*@shop\.example`},
			TextAttributes: []string{"payload"}, SQLAttributes: []string{"query"}, MaskSQLLiterals: true,
			Detectors: []Detector{DetectorCard, DetectorPhone},
			Rules: []RuleConfig{
				{Name: "customers", Keys: []string{"customer_*"}, Action: ActionHash},
				{Detector: DetectorEmail, Action: ActionDrop},
				{Name: "tickets", Pattern: `TKT-(\d+)`, KeepLast: 2},
			},
			Action: ActionPartial, KeepLast: 3, HashSecret: "0123456789abcdef",
			Fail: FailOpen, MaxValueBytes: 1000, MaxDepth: 5, Shadow: true,
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
		"pattern_masks_everything.yaml": `keys::0: pattern "*" masks everything`,
		"pattern_malformed.yaml":        `additional_keys::0: pattern "[a": syntax error`,
		"rules_none.yaml":               `keys: want at least one key, detector or rule`,
		"action_unknown.yaml":           `want mask, partial, hash or drop, got "encrypt"`,
		"detector_unknown.yaml":         `detectors::1: want one of [bearer card`,
		"detector_twice.yaml":           `detectors::1: card is there twice`,
		"fail_unknown.yaml":             `fail: want closed or open, got "maybe"`,
		"hash_without_secret.yaml":      `hash_secret: want at least 16 bytes for the action hash, got 0`,
		"hash_secret_short.yaml":        `hash_secret: want at least 16 bytes for the action hash, got 5`,
		"keep_last_too_many.yaml":       `keep_last: want 1 to 16 characters, got 40`,
		"limits_zero.yaml":              `max_value_bytes: want at least 1, got 0`,
		"except_pattern_malformed.yaml": `except_patterns::0: error parsing regexp`,
		"except_pattern_empty.yaml":     `except_patterns::0: pattern ".*" matches an empty text`,
		"rule_of_two_kinds.yaml":        `rules::0: want one of keys, detector and pattern, got 2 of them`,
		"rule_of_nothing.yaml":          `rules::0: want one of keys, detector and pattern, got 0 of them`,
		"rule_without_name.yaml":        `rules::0::name: want a name of a-z, 0-9 and _ that is no detector's, got ""`,
		"rule_named_as_detector.yaml":   `rules::0::name: want a name of a-z, 0-9 and _ that is no detector's, got "card"`,
		"rule_names_twice.yaml":         `rules::1::name: "a" is there twice`,
		"rule_pattern_malformed.yaml":   `rules::0::pattern: error parsing regexp`,
		"rule_pattern_empty.yaml":       `rules::0::pattern: pattern "x*" matches an empty text`,
		"rule_keys_everything.yaml":     `rules::0::keys::0: pattern "*" masks everything`,
		"rule_detector_unknown.yaml":    `rules::0::detector: want one of`,
		"except_keys_pattern.yaml":      `except_keys::0: want a whole key, got pattern "a*"`,
		"unknown_key.yaml":              `has invalid keys: mask`,
	} {
		t.Run(file, func(t *testing.T) {
			_, err := configtest.Load(t, file, "request_redaction", createDefaultConfig())
			require.ErrorContains(t, err, want)
		})
	}
}
