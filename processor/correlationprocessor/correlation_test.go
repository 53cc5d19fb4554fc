package correlationprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/processor/correlationprocessor/internal/metadata"
)

type attrs = map[string]any

func TestKeysOfARecord(t *testing.T) {
	long := strings.Repeat("x", defaultMaxValueLength+1)
	tests := map[string]struct {
		config           func(*Config)
		resource, record attrs
		want             map[string]string
		refused          map[string]int64
	}{
		"nothing to correlate": {record: attrs{"http.route": "/"}},
		"named attributes": {
			record: attrs{"user.id": "u1", "session.id": "s1", "order.id": 7, "trackway.request.id": "r1"},
			want:   map[string]string{"user_id": "u1", "session_id": "s1", "order_id": "7", "request_id": "r1"},
		},
		"the first named counts, whatever comes first": {
			record: attrs{"enduser.id": "second", "user.id": "first"},
			want:   map[string]string{"user_id": "first"},
		},
		"the second where the first is absent": {record: attrs{"enduser.id": "u1"}, want: map[string]string{"user_id": "u1"}},
		"the sender's own key wins": {
			record: attrs{"user.id": "attribute", "correlation.user_id": "own"},
			want:   map[string]string{"user_id": "own"},
		},
		"of the resource": {
			resource: attrs{"session.id": "s1", "user.id": "resource", "correlation.tenant": "t1"},
			record:   attrs{"enduser.id": "record"},
			want:     map[string]string{"session_id": "s1", "user_id": "record", "tenant": "t1"},
		},
		"a header, an array of one": {
			record: attrs{"http.request.header.x-request-id": []any{"r9"}},
			want:   map[string]string{"request_id": "r9"},
		},
		"masked values are no keys": {
			record:  attrs{"user.id": conventions.Mask, "correlation.token": conventions.Mask, "order.id": "o1"},
			want:    map[string]string{"order_id": "o1"},
			refused: map[string]int64{"masked": 2},
		},
		"empty values are no keys": {record: attrs{"user.id": "", "order.id": nil}},
		"long values are no keys": {
			record:  attrs{"user.id": long, "order.id": long[1:]},
			want:    map[string]string{"order_id": long[1:]},
			refused: map[string]int64{"too_long": 1},
		},
		"long values of the resource are none either": {
			resource: attrs{"correlation.tenant": long},
			refused:  map[string]int64{"too_long": 1},
		},
		"maps and longer arrays are no keys": {
			record:  attrs{"user.id": map[string]any{"a": 1}, "order.id": []any{"a", "b"}},
			refused: map[string]int64{"not_scalar": 2},
		},
		"at most max_keys": {
			config:  func(c *Config) { c.MaxKeys = 1 },
			record:  attrs{"user.id": "u1", "session.id": "u1", "order.id": "u1"},
			want:    map[string]string{"user_id": "u1", "session_id": "u1", "order_id": "u1"}, // one of them
			refused: map[string]int64{"too_many": 2},
		},
		"renamed": {
			config: func(c *Config) { c.Rename = map[string]string{"customer": "account_id"} },
			record: attrs{"correlation.customer": "c1", "account.id": "a1"},
			want:   map[string]string{"account_id": "c1"},
		},
		"baggage, if asked for": {
			config: func(c *Config) { c.BaggagePrefix = "baggage." },
			record: attrs{"baggage.cart_id": "c1", "baggage.user_id": "baggage", "baggage.not a key": "x", "user.id": "u1"},
			want:   map[string]string{"cart_id": "c1", "user_id": "u1"},
		},
		"baggage is nothing special by default": {record: attrs{"baggage.cart_id": "c1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tel := componenttest.NewTelemetry()
			defer func() { require.NoError(t, tel.Shutdown(t.Context())) }()
			set := processortest.NewNopSettings(metadata.Type)
			set.TelemetrySettings = tel.NewTelemetrySettings()
			cfg := createDefaultConfig().(*Config)
			if tt.config != nil {
				tt.config(cfg)
			}
			var traces consumertest.TracesSink
			p, err := NewFactory().CreateTraces(t.Context(), set, cfg, &traces)
			require.NoError(t, err)
			td := ptrace.NewTraces()
			rs := td.ResourceSpans().AppendEmpty()
			require.NoError(t, rs.Resource().Attributes().FromRaw(tt.resource))
			require.NoError(t, rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty().Attributes().FromRaw(tt.record))
			require.NoError(t, p.ConsumeTraces(t.Context(), td))
			rs = traces.AllTraces()[0].ResourceSpans().At(0)
			got := rs.ScopeSpans().At(0).Spans().At(0).Attributes()
			if cfg.MaxKeys == 1 {
				require.Len(t, correlationOf(t, got), 1)
				assert.Subset(t, tt.want, correlationOf(t, got))
			} else {
				assert.Equal(t, tt.want, correlationOf(t, got))
			}
			assert.Empty(t, correlationOf(t, rs.Resource().Attributes()), "keys left on the resource")
			for k := range tt.record {
				if !strings.HasPrefix(k, conventions.CorrelationPrefix) {
					_, ok := got.Get(k)
					assert.True(t, ok, "attribute %s was taken away", k)
				}
			}
			assert.Equal(t, tt.refused, refusedKeys(t, tel))

			var logs consumertest.LogsSink
			lp, err := NewFactory().CreateLogs(t.Context(), set, cfg, &logs)
			require.NoError(t, err)
			ld := plog.NewLogs()
			rl := ld.ResourceLogs().AppendEmpty()
			require.NoError(t, rl.Resource().Attributes().FromRaw(tt.resource))
			require.NoError(t, rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Attributes().FromRaw(tt.record))
			require.NoError(t, lp.ConsumeLogs(t.Context(), ld))
			if cfg.MaxKeys != 1 {
				assert.Equal(t, tt.want, correlationOf(t, logs.AllLogs()[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes()))
			}
		})
	}
}

func correlationOf(t *testing.T, m pcommon.Map) map[string]string {
	t.Helper()
	var out map[string]string
	for k, v := range m.All() {
		if key, ok := strings.CutPrefix(k, conventions.CorrelationPrefix); ok {
			if out == nil {
				out = make(map[string]string)
			}
			require.NotContains(t, out, key, "key written twice")
			require.Equal(t, pcommon.ValueTypeStr, v.Type())
			out[key] = v.Str()
		}
	}
	return out
}

func refusedKeys(t *testing.T, tel *componenttest.Telemetry) map[string]int64 {
	t.Helper()
	m, err := tel.GetMetric("otelcol_processor_correlation_refused_keys")
	if err != nil {
		return nil // nothing was counted
	}
	out := map[string]int64{}
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		reason, _ := p.Attributes.Value(attribute.Key("reason"))
		out[reason.AsString()] = p.Value
	}
	return out
}

// What a span of 17 attributes, three of them keys, costs.
func BenchmarkSpan(b *testing.B) {
	c, err := newCorrelation(processortest.NewNopSettings(metadata.Type), createDefaultConfig().(*Config))
	require.NoError(b, err)
	m := pcommon.NewMap()
	for i := range 14 {
		m.PutStr("app.attribute."+string(rune('a'+i)), "value")
	}
	m.PutStr("user.id", "u_1")
	m.PutStr("order.id", "o_1")
	m.PutStr("session.id", "s_1")
	var ks keys
	b.ReportAllocs()
	for b.Loop() {
		c.record(&ks, m, nil)
	}
}
