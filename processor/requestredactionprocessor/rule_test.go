package requestredactionprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/trackwayhq/trackway/internal/keyedhash"
	"github.com/trackwayhq/trackway/processor/requestredactionprocessor/internal/metadata"
)

const hashSecret = "0123456789abcdef"

func TestActions(t *testing.T) {
	hashed := keyedhash.New([]byte(hashSecret)).Hash
	for name, tt := range map[string]struct {
		rule RuleConfig
		in   map[string]any
		want map[string]any
	}{
		"partial": {
			RuleConfig{Detector: DetectorCard, Action: ActionPartial},
			map[string]any{"a": "card 4111111111111111", "n": 4111111111111111},
			map[string]any{"a": "card [redacted]1111", "n": "[redacted]1111"},
		},
		"partial of a short value keeps nothing": {
			RuleConfig{Name: "pins", Keys: []string{"pin"}, Action: ActionPartial},
			map[string]any{"pin": 1234567, "user.pin": "12345678"},
			map[string]any{"pin": "[redacted]", "user.pin": "[redacted]5678"},
		},
		"partial keeps as many characters as the rule says": {
			RuleConfig{Name: "names", Keys: []string{"name"}, Action: ActionPartial, KeepLast: 2},
			map[string]any{"name": "Zoë Müller-Würß"},
			map[string]any{"name": "[redacted]rß"},
		},
		"hash is the same in every place": {
			RuleConfig{Name: "customers", Keys: []string{"customer_*"}, Action: ActionHash},
			map[string]any{"customer_id": "c 7", "url.query": "customer_id=c%207&x=1", "trackway.request.body": `{"customer_id":"c\u00207"}`, "http.request.header.cookie": "x=1"},
			map[string]any{"customer_id": hashed("c 7"), "url.query": "customer_id=" + hashed("c 7") + "&x=1", "trackway.request.body": `{"customer_id":"` + hashed("c 7") + `"}`, "http.request.header.cookie": "[redacted]"},
		},
		"hash of what a detector finds": {
			RuleConfig{Detector: DetectorEmail, Action: ActionHash},
			map[string]any{"m": "to ann@example.com"},
			map[string]any{"m": "to " + hashed("ann@example.com")},
		},
		"drop by key": {
			RuleConfig{Name: "notes", Keys: []string{"note"}, Action: ActionDrop},
			map[string]any{"note": "x", "a": map[string]any{"note": "y", "b": "z"}, "trackway.request.body": `{"note":{"c":1},"d":2}`, "url.query": "note=x&y=1"},
			map[string]any{"a": map[string]any{"b": "z"}, "trackway.request.body": `{"note":null,"d":2}`, "url.query": "note=&y=1"},
		},
		"drop by detector takes the attribute": {
			RuleConfig{Detector: DetectorEmail, Action: ActionDrop},
			map[string]any{"m": "to ann@example.com", "l": []any{"ann@example.com", "x"}, "k": []any{"ann@example.com"}, "n": "y"},
			map[string]any{"l": []any{nil, "x"}, "n": "y"},
		},
		"pattern": {
			RuleConfig{Name: "tickets", Pattern: `TKT-\d{6}`},
			map[string]any{"m": "see TKT-123456, TKT-1"},
			map[string]any{"m": "see [redacted], TKT-1"},
		},
		"pattern with a group": {
			RuleConfig{Name: "pins", Pattern: `(?i)pin[ =:]+(\d{4})`, Action: ActionMask},
			map[string]any{"m": "his PIN: 1234, room 5678"},
			map[string]any{"m": "his PIN: [redacted], room 5678"},
		},
		"a rule comes before the defaults": {
			RuleConfig{Name: "tokens", Keys: []string{"token"}, Action: ActionPartial},
			map[string]any{"token": "abcdefghijkl", "password": "abcdefghijkl"},
			map[string]any{"token": "[redacted]ijkl", "password": "[redacted]"},
		},
		"by choice": {
			RuleConfig{Detector: DetectorIP},
			map[string]any{"client.address": "10.1.2.3", "m": "from 10.1.2.3:80"},
			map[string]any{"client.address": "[redacted]", "m": "from [redacted]:80"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := createDefaultConfig().(*Config)
			cfg.Rules = []RuleConfig{tt.rule}
			cfg.HashSecret = hashSecret
			require.NoError(t, cfg.Validate())
			p := newTestRedaction(t, cfg).begin()
			m := pcommon.NewMap()
			require.NoError(t, m.FromRaw(tt.in))
			p.attributes(m)
			assert.Equal(t, tt.want, m.AsRaw())
			assert.Positive(t, p.counts[0], "counted for the rule")

			before := p.record
			p.attributes(m)
			assert.Equal(t, tt.want, m.AsRaw(), "again")
			assert.Equal(t, before, p.record, "counted again")
		})
	}
}

func TestExceptions(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.ExceptKeys = []string{"app.token"}
	cfg.ExceptValues = []string{"support@shop.example", "none"}
	cfg.ExceptPatterns = []string{`[a-z]+@internal\.example`}
	p := newTestRedaction(t, cfg).begin()
	m := pcommon.NewMap()
	in := map[string]any{
		"app.token": "ann@example.com", "mail": "support@shop.example or ops@internal.example", "token": "none",
		"trackway.request.body": `{"token":"none"}`, "url.query": "token=none", "db.statement": "SELECT 1 WHERE token = 'none'",
	}
	require.NoError(t, m.FromRaw(in))
	p.attributes(m)
	assert.Equal(t, in, m.AsRaw())
	m.PutStr("mail", "ops@internal.example.com")
	p.attributes(m)
	got, _ := m.Get("mail")
	assert.Equal(t, "[redacted]", got.Str(), "a pattern must match all of what was found")
}

func TestUnscannable(t *testing.T) {
	deep := map[string]any{"x": "y"}
	for range 5 {
		deep = map[string]any{"m": deep}
	}
	in := map[string]any{"deep": deep, "large": strings.Repeat("x", 101), "fits": strings.Repeat("x", 100), "list": []any{[]any{[]any{[]any{"x"}}}}}
	for fail, want := range map[Fail][]string{FailClosed: {"deep", "fits"}, FailOpen: {"deep", "fits", "large", "list"}} {
		cfg := createDefaultConfig().(*Config)
		cfg.Fail, cfg.MaxDepth, cfg.MaxValueBytes = fail, 3, 100
		p := newTestRedaction(t, cfg).begin()
		m := pcommon.NewMap()
		require.NoError(t, m.FromRaw(in))
		p.attributes(m)
		var keys []string
		for k := range m.All() {
			keys = append(keys, k)
		}
		assert.ElementsMatch(t, want, keys, "%s", fail)
		assert.Equal(t, int64(3), p.counts[p.r.unscannable.index])
		if v, _ := m.Get("deep"); fail == FailClosed {
			assert.Equal(t, map[string]any{"m": map[string]any{"m": map[string]any{}}}, v.Map().AsRaw(), "what is above the limit stays")
		}
	}
}

// Shadow mode counts what the rules would do, and changes nothing.
func TestShadow(t *testing.T) {
	count := func(shadow bool) (map[string]int64, ptrace.Traces) {
		tel := componenttest.NewTelemetry()
		defer func() { require.NoError(t, tel.Shutdown(t.Context())) }()
		set := processortest.NewNopSettings(metadata.Type)
		set.TelemetrySettings = tel.NewTelemetrySettings()
		cfg := createDefaultConfig().(*Config)
		cfg.Shadow = shadow
		cfg.MaxValueBytes = 1000
		cfg.Rules = []RuleConfig{{Detector: DetectorEmail, Action: ActionDrop}}
		r, err := newRedaction(set, cfg, pipeline.SignalTraces)
		require.NoError(t, err)
		td := ptrace.NewTraces()
		s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.SetName("mail ann@example.com")
		fillSecrets(s.Attributes())
		s.Attributes().PutStr("a", "card 4111111111111111 of ann@example.com")
		s.Attributes().PutStr("b", `{"x":"{\"token\":\"t\",\"c\":4111111111111111}"}`)
		s.Attributes().PutStr("large", strings.Repeat("x", 1001))
		s.Attributes().PutEmptySlice("list").AppendEmpty().SetInt(4111111111111111)
		s.Attributes().PutEmptyBytes("bytes").FromRaw([]byte("card 4111111111111111"))
		td, err = r.traces(t.Context(), td)
		require.NoError(t, err)
		counted, err := tel.GetMetric("otelcol_processor_request_redaction_masked_values")
		require.NoError(t, err)
		counts := map[string]int64{}
		for _, point := range counted.Data.(metricdata.Sum[int64]).DataPoints {
			rule, _ := point.Attributes.Value("rule")
			action, _ := point.Attributes.Value("action")
			assert.Equal(t, shadow, action.AsString() == "none")
			counts[rule.AsString()] += point.Value
		}
		return counts, td
	}
	want := map[string]int64{"keys": 5, "card": 4, "email": 2, "unscannable": 1}
	counts, td := count(true)
	assert.Equal(t, want, counts)
	s := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	assert.Equal(t, "mail ann@example.com", s.Name())
	assert.Equal(t, 13, s.Attributes().Len(), "nothing dropped, no mark")
	v, _ := s.Attributes().Get("a")
	assert.Equal(t, "card 4111111111111111 of ann@example.com", v.Str())

	counts, td = count(false)
	assert.Equal(t, want, counts)
	s = td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	assert.Equal(t, "[redacted]", s.Name(), "a name cannot be dropped")
	_, kept := s.Attributes().Get("a")
	assert.False(t, kept)
	assert.Equal(t, "redacted:12", marksOf(s.Attributes()))
}

func TestLiteralOf(t *testing.T) {
	for expression, want := range map[string]string{
		`TKT-\d+`: "TKT-", `a(bcd)+e?`: "bcd", `(?i)abc`: "", `abc|def`: "", `x*`: "", `(?:foo){2,}bar1`: "bar1", `^key=(.+)$`: "key=",
	} {
		assert.Equal(t, want, literalOf(expression), expression)
	}
}

// A body that a rule drops is empty; its record stays.
func TestDroppedBody(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Rules = []RuleConfig{{Detector: DetectorEmail, Action: ActionDrop}}
	r := newTestRedaction(t, cfg)
	ld := plog.NewLogs()
	l := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	l.Body().SetStr("mail to ann@example.com")
	_, err := r.logs(t.Context(), ld)
	require.NoError(t, err)
	assert.Equal(t, pcommon.ValueTypeEmpty, l.Body().Type())
	assert.Equal(t, "redacted:1", marksOf(l.Attributes()))
}
