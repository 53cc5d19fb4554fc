package correlationprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/keyedhash"
	"github.com/trackwayhq/trackway/processor/correlationprocessor/internal/metadata"
)

type attrs = map[string]any

const testSecret = "a secret of a test"

// orderFrom makes the key order of what k names.
func orderFrom(k KeyConfig) func(*Config) {
	k.Key = "order"
	return func(c *Config) { c.Keys = []KeyConfig{k} }
}

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
		"baggage is nothing special by default": {record: attrs{"baggage.cart_id": "c1", "baggage": "cart_id=c1"}},
		"a partly masked value": {
			record:  attrs{"user.id": conventions.Mask + "1234"},
			refused: map[string]int64{"masked": 1},
		},
		"names too long or empty": {
			record:  attrs{"correlation." + long[:maxKeyName+1]: "v", "correlation.": "v", "correlation." + long[:maxKeyName]: "v"},
			want:    map[string]string{long[:maxKeyName]: "v"},
			refused: map[string]int64{"name": 2},
		},
		"distinct keys of senders; configured ones do not count": {
			config:  func(c *Config) { c.MaxDistinctKeys = 1 },
			record:  attrs{"correlation.only": "v", "user.id": "u1"},
			want:    map[string]string{"only": "v", "user_id": "u1"},
			refused: nil,
		},
		"no other keys than configured ones": {
			config:  func(c *Config) { c.MaxDistinctKeys = 0 },
			record:  attrs{"correlation.other": "v", "correlation.user_id": "u1"},
			want:    map[string]string{"user_id": "u1"},
			refused: map[string]int64{"too_many_distinct": 1},
		},
		"one attribute for two keys": {
			config: func(c *Config) {
				c.AdditionalKeys = []KeyConfig{{Key: "login", From: []string{"enduser.id"}}}
			},
			record: attrs{"enduser.id": "u1"},
			want:   map[string]string{"user_id": "u1", "login": "u1"},
		},
		"headers, of any case": {
			config: orderFrom(KeyConfig{Headers: []string{"X-Order", "x-old-order"}}),
			record: attrs{"http.request.header.x-old-order": []any{"old"}, "http.request.header.x-order": "o1"},
			want:   map[string]string{"order": "o1"},
		},
		"baggage of span attributes": {
			config: orderFrom(KeyConfig{Baggage: []string{"order"}}),
			record: attrs{"baggage.order": "o1", "baggage.other": "x"},
			want:   map[string]string{"order": "o1"},
		},
		"a baggage header": {
			config: orderFrom(KeyConfig{Baggage: []string{"order"}}),
			record: attrs{"http.request.header.baggage": []any{"a=b", "order = o%201;ttl=1 , c=d"}},
			want:   map[string]string{"order": "o 1"},
		},
		"a baggage field, as text or as an object": {
			config:   orderFrom(KeyConfig{Baggage: []string{"order"}}),
			resource: attrs{"baggage": "order=resource"},
			record:   attrs{"baggage": attrs{"order": 17}},
			want:     map[string]string{"order": "17"},
		},
		"every member of the baggage": {
			config: func(c *Config) { c.BaggagePrefix = "baggage." },
			record: attrs{"http.request.header.baggage": []any{"cart_id=c1,%20=x,user_id=u1"}},
			want:   map[string]string{"cart_id": "c1", "user_id": "u1"},
		},
		"paths": {
			config: func(c *Config) { c.Paths = []string{"/health/{x}/y", "/shops/{shop}/orders/{order_id}/**"} },
			record: attrs{"url.path": "/shops/eu%2F1/orders/o1/items/7"},
			want:   map[string]string{"shop": "eu/1", "order_id": "o1"},
		},
		"the path of a URL": {
			config: func(c *Config) { c.Paths = []string{"/orders/{order_id}"} },
			record: attrs{"url.full": "https://jo@example.com:8/orders/o1/?a=b#c"},
			want:   map[string]string{"order_id": "o1"},
		},
		"queries": {
			config: orderFrom(KeyConfig{Query: []string{"order"}}),
			record: attrs{"url.query": "a=b&order=o%2B1+x&order=second"},
			want:   map[string]string{"order": "o+1 x"},
		},
		"the query of a target": {
			config: orderFrom(KeyConfig{Query: []string{"order"}}),
			record: attrs{"http.target": "/a?order=o1#order=o2"},
			want:   map[string]string{"order": "o1"},
		},
		"a masked parameter": {
			config:  orderFrom(KeyConfig{Query: []string{"order"}}),
			record:  attrs{"url.query": "order=%5Bredacted%5D"},
			refused: map[string]int64{"masked": 1},
		},
		"JSON bodies": {
			config: orderFrom(KeyConfig{Body: []string{"nothing", "order.items.0.id"}}),
			record: attrs{conventions.RequestBody: `{"order":{"items":[{"id":12345678901234567890}]}}`},
			want:   map[string]string{"order": "12345678901234567890"},
		},
		"an object in a body is no key": {
			config:  orderFrom(KeyConfig{Body: []string{"order"}}),
			record:  attrs{conventions.RequestBody: `{"order":{"id":1}}`},
			refused: map[string]int64{"not_scalar": 1},
		},
		"a body that was cut has no keys": {
			config: orderFrom(KeyConfig{Body: []string{"order"}}),
			record: attrs{conventions.RequestBody: `{"order":"o1","items":[`},
		},
		"sources in their order": {
			config: func(c *Config) {
				c.Keys = []KeyConfig{{
					Key: "a", From: []string{"a"}, Headers: []string{"a"}, Baggage: []string{"a"}, Query: []string{"a"}, Body: []string{"a"},
				}, {Key: "b", Headers: []string{"b"}, Baggage: []string{"b"}, Query: []string{"b"}, Body: []string{"b"}},
					{Key: "c", Baggage: []string{"c"}, Query: []string{"c"}, Body: []string{"c"}},
					{Key: "d", Query: []string{"d"}, Body: []string{"d"}}, {Key: "e", Query: []string{"e"}, Body: []string{"e"}}}
				c.Paths = []string{"/{d}"}
			},
			record: attrs{
				conventions.RequestBody: `{"a":"body","b":"body","c":"body","d":"body","e":"body"}`,
				"url.query":             "a=query&b=query&c=query&d=query&e=query", "url.path": "/path",
				"baggage.a": "baggage", "baggage.b": "baggage", "baggage.c": "baggage",
				"http.request.header.a": "header", "http.request.header.b": "header", "a": "attribute",
			},
			want: map[string]string{"a": "attribute", "b": "header", "c": "baggage", "d": "path", "e": "query"},
		},
		"made equal": {
			config: func(c *Config) {
				c.Normalize = map[string]NormalizeConfig{"order_id": {
					Trim: true, Lower: true, Replace: []ReplaceConfig{{Pattern: "^ord-0*", With: ""}, {Pattern: `(\d)(\d)$`, With: "${2}-${1}"}},
				}}
			},
			record: attrs{"order.id": " ORD-0017X12\n", "user.id": " U "},
			want:   map[string]string{"order_id": "17x2-1", "user_id": " U "},
		},
		"made empty": {
			config: func(c *Config) {
				c.Normalize = map[string]NormalizeConfig{"user_id": {Replace: []ReplaceConfig{{Pattern: "^anonymous$"}}}}
			},
			record: attrs{"user.id": "anonymous"},
		},
		"hashed, once": {
			config: func(c *Config) { c.Hash = HashConfig{Secret: testSecret, Keys: []string{"user_id", "session_id"}} },
			record: attrs{"user.id": "u1", "session.id": keyedhash.New([]byte(testSecret)).Hash("s1"), "order.id": "o1"},
			want: map[string]string{
				"user_id":    keyedhash.New([]byte(testSecret)).Hash("u1"),
				"session_id": keyedhash.New([]byte(testSecret)).Hash("s1"), "order_id": "o1",
			},
		},
		"every key hashed, a masked one refused": {
			config:  func(c *Config) { c.Hash = HashConfig{Secret: testSecret, Keys: []string{"*"}} },
			record:  attrs{"correlation.cart": "c1", "user.id": conventions.Mask},
			want:    map[string]string{"cart": keyedhash.New([]byte(testSecret)).Hash("c1")},
			refused: map[string]int64{"masked": 1},
		},
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
