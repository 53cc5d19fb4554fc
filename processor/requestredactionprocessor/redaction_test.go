package requestredactionprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/processor/requestredactionprocessor/internal/metadata"
)

func newTestRedaction(t testing.TB, cfg *Config) *redaction {
	t.Helper()
	r, err := newRedaction(processortest.NewNopSettings(metadata.Type), cfg, pipeline.SignalTraces)
	require.NoError(t, err)
	return r
}

func TestKeys(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.AdditionalKeys = []string{"x-internal-*", "pin?"}
	cfg.ExceptKeys = []string{"app.token"}
	m := newTestRedaction(t, cfg).keys
	for key, want := range map[string]bool{
		"password":                             true,
		"PassWord":                             true,
		"db.password":                          true,
		"user[password]":                       true,
		"password.length":                      false,
		"passwords":                            false,
		"http.request.header.authorization":    true,
		"http.request.header.set-cookie":       true,
		"http.request.header.X-API-Key":        true,
		"http.request.header.x-stripe-api-key": true,
		"github_token":                         true,
		"gen_ai.usage.input_tokens":            false,
		"x-internal-id":                        true,
		"http.request.header.x-internal-a/b":   true,
		"pin4":                                 true,
		"pin":                                  false,
		"app.token":                            false,
		"APP.Token":                            false,
		"other.token":                          true,
		"http.route":                           false,
		"trackway.request.id":                  false,
		"":                                     false,
		".":                                    false,
	} {
		assert.Equal(t, want, m.of(key).rule != nil, "key %q", key)
		assert.Equal(t, want, m.of(key).rule != nil, "key %q, remembered", key)
	}
}

func TestRememberedKeysAreBounded(t *testing.T) {
	m := newTestRedaction(t, createDefaultConfig().(*Config)).keys
	for i := range maxRemembered + 10 {
		m.of(string(rune('a'+i%26)) + string(rune(0x4e00+i)))
	}
	assert.Len(t, *m.remembered.Load(), maxRemembered)
	assert.NotNil(t, m.of("password").rule)
}

var texts = map[string]struct {
	in, want string
	n        int
}{
	"json":                     {`{"user":"ann","password":"x"}`, `{"user":"ann","password":"[redacted]"}`, 1},
	"json keeps its spelling":  {"{ \"a\" : 1.50 ,\n\t\"Token\" :\t\"y\" }", "{ \"a\" : 1.50 ,\n\t\"Token\" :\t\"[redacted]\" }", 1},
	"json nested":              {`[{"a":{"api-key":"k","b":2}}]`, `[{"a":{"api-key":"[redacted]","b":2}}]`, 1},
	"json number and word":     {`{"cvv":123,"secret":true,"pwd":null}`, `{"cvv":"[redacted]","secret":"[redacted]","pwd":"[redacted]"}`, 3},
	"json object and array":    {`{"token":{"a":["]","}"]},"credentials":[1,[2]],"x":1}`, `{"token":"[redacted]","credentials":"[redacted]","x":1}`, 2},
	"json escapes in a value":  {`{"password":"a\"b\\","x":"\\"}`, `{"password":"[redacted]","x":"\\"}`, 1},
	"json escapes in a key":    {`{"p\u0061ssword":"x"}`, `{"p\u0061ssword":"[redacted]"}`, 1},
	"json cut in a value":      {`{"a":1,"password":"hunt`, `{"a":1,"password":"[redacted]"`, 1},
	"json cut in an object":    {`{"token":{"a":{"b":1`, `{"token":"[redacted]"`, 1},
	"json cut after the colon": {`{"password":`, `{"password":`, 0},
	"json cut in a key":        {`{"passw`, `{"passw`, 0},
	"json cut in an escape":    {`{"password":"x\`, `{"password":"[redacted]"`, 1},
	"json key as a value":      {`{"field":"password","x":["token"]}`, `{"field":"password","x":["token"]}`, 0},
	"json lines":               {"{\"token\":1}\n{\"token\":2}", "{\"token\":\"[redacted]\"}\n{\"token\":\"[redacted]\"}", 2},
	"form":                     {`user=ann&password=x&y=1`, `user=ann&password=[redacted]&y=1`, 1},
	"form escaped key":         {`user%5Bpassword%5D=x`, `user%5Bpassword%5D=[redacted]`, 1},
	"form empty value":         {`password=&a=b`, `password=&a=b`, 0},
	"url":                      {`https://h/p?a=b&token=t#frag`, `https://h/p?a=b&token=[redacted]#frag`, 1},
	"url fragment":             {`https://h/p#access_token=t&a=b`, `https://h/p#access_token=[redacted]&a=b`, 1},
	"url user":                 {`https://ann:secret@h:8/p?a=b`, `https://[redacted]@h:8/p?a=b`, 1},
	"url user and parameter":   {`https://ann@h/p?token=t`, `https://[redacted]@h/p?token=[redacted]`, 2},
	"an at sign in a path":     {`https://h/@ann/p`, `https://h/@ann/p`, 0},
	"a url as a parameter":     {`next=https://a:b@h/`, `next=https://[redacted]@h/`, 1},
	"target":                   {`/p;token=a?token=t`, `/p;token=[redacted]?token=[redacted]`, 2},
	"prose":                    {`the password was wrong`, `the password was wrong`, 0},
	"empty":                    {``, ``, 0},
}

func TestText(t *testing.T) {
	p := newTestRedaction(t, createDefaultConfig().(*Config)).begin()
	for name, tt := range texts {
		t.Run(name, func(t *testing.T) {
			p.record = 0
			got, changed := p.text(tt.in, shapeForm, 0)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.n, p.record)
			assert.Equal(t, tt.want != tt.in, changed)
		})
	}
}

// Whatever the text, masking ends, and doing it again changes nothing.
func FuzzText(f *testing.F) {
	for _, tt := range texts {
		f.Add(tt.in)
	}
	p := newTestRedaction(f, createDefaultConfig().(*Config)).begin()
	f.Fuzz(func(t *testing.T, s string) {
		once, _ := p.text(s, shapeForm, 0)
		twice, _ := p.text(once, shapeForm, 0)
		if once != twice {
			t.Fatalf("masking %q gave %q and, masked again, %q", s, once, twice)
		}
	})
}

func fillSecrets(m pcommon.Map) {
	m.PutStr("http.request.header.authorization", "Bearer x")
	m.PutEmptySlice("http.request.header.cookie").AppendEmpty().SetStr("a=b")
	m.PutStr("http.route", "/login")
	m.PutStr(conventions.RequestBody, `{"user":"ann","password":"x"}`)
	m.PutEmptyMap("form").PutInt("cvv", 123)
	m.PutStr("note", "a token visible") // not a text attribute
	m.PutStr("secret", "")
	m.PutEmpty("token")
}

func checkMasked(t *testing.T, m pcommon.Map) {
	t.Helper()
	want := map[string]any{
		"http.request.header.authorization": "[redacted]",
		"http.request.header.cookie":        "[redacted]",
		"http.route":                        "/login",
		conventions.RequestBody:             `{"user":"ann","password":"[redacted]"}`,
		"form":                              map[string]any{"cvv": "[redacted]"},
		"note":                              "a token visible",
		"secret":                            "",
		"token":                             nil,
	}
	got := m.AsRaw()
	delete(got, conventions.Marks)
	assert.Equal(t, want, got)
}

func marksOf(m pcommon.Map) string {
	v, ok := m.Get(conventions.Marks)
	if !ok {
		return ""
	}
	return v.AsString()
}

func TestTraces(t *testing.T) {
	tel := componenttest.NewTelemetry()
	defer func() { require.NoError(t, tel.Shutdown(t.Context())) }()
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	var sink consumertest.TracesSink
	p, err := NewFactory().CreateTraces(t.Context(), set, createDefaultConfig(), &sink)
	require.NoError(t, err)

	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	fillSecrets(rs.Resource().Attributes())
	ss := rs.ScopeSpans().AppendEmpty()
	fillSecrets(ss.Scope().Attributes())
	s := ss.Spans().AppendEmpty()
	fillSecrets(s.Attributes())
	fillSecrets(s.Events().AppendEmpty().Attributes())
	fillSecrets(s.Links().AppendEmpty().Attributes())
	ss.Spans().AppendEmpty().Attributes().PutStr("a", "b")
	require.NoError(t, p.ConsumeTraces(t.Context(), td))

	got := sink.AllTraces()[0].ResourceSpans().At(0)
	checkMasked(t, got.Resource().Attributes())
	checkMasked(t, got.ScopeSpans().At(0).Scope().Attributes())
	span := got.ScopeSpans().At(0).Spans().At(0)
	checkMasked(t, span.Attributes())
	checkMasked(t, span.Events().At(0).Attributes())
	checkMasked(t, span.Links().At(0).Attributes())
	assert.Equal(t, "redacted:12", marksOf(span.Attributes()))
	assert.Empty(t, marksOf(got.ScopeSpans().At(0).Spans().At(1).Attributes()))

	counted, err := tel.GetMetric("otelcol_processor_request_redaction_masked_values")
	require.NoError(t, err)
	points := counted.Data.(metricdata.Sum[int64]).DataPoints
	require.Len(t, points, 1, "one rule")
	assert.Equal(t, int64(20), points[0].Value)
	by, _ := points[0].Attributes.Value(attribute.Key("rule"))
	assert.Equal(t, "keys", by.AsString())
	signal, _ := points[0].Attributes.Value(attribute.Key("otel.signal"))
	assert.Equal(t, pipeline.SignalTraces.String(), signal.AsString())
}

func TestLogs(t *testing.T) {
	var sink consumertest.LogsSink
	p, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), createDefaultConfig(), &sink)
	require.NoError(t, err)
	ld := plog.NewLogs()
	records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	fillSecrets(records.AppendEmpty().Attributes())
	records.AppendEmpty().Body().SetStr(` {"token":"t"}`)
	records.AppendEmpty().Body().SetStr("sign in with token t failed")
	records.AppendEmpty().Body().SetEmptyMap().PutStr("token", "t")
	require.NoError(t, p.ConsumeLogs(t.Context(), ld))

	got := sink.AllLogs()[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	checkMasked(t, got.At(0).Attributes())
	assert.Equal(t, "redacted:4", marksOf(got.At(0).Attributes()))
	assert.Equal(t, ` {"token":"[redacted]"}`, got.At(1).Body().Str())
	assert.Equal(t, "redacted:1", marksOf(got.At(1).Attributes()))
	assert.Equal(t, "sign in with token t failed", got.At(2).Body().Str())
	assert.Equal(t, map[string]any{"token": "[redacted]"}, got.At(3).Body().Map().AsRaw())
}

func TestMetrics(t *testing.T) {
	var sink consumertest.MetricsSink
	p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(metadata.Type), createDefaultConfig(), &sink)
	require.NoError(t, err)
	md := pmetric.NewMetrics()
	metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	gauge := metrics.AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty()
	fillSecrets(gauge.Attributes())
	fillSecrets(gauge.Exemplars().AppendEmpty().FilteredAttributes())
	fillSecrets(metrics.AppendEmpty().SetEmptySum().DataPoints().AppendEmpty().Attributes())
	fillSecrets(metrics.AppendEmpty().SetEmptyHistogram().DataPoints().AppendEmpty().Attributes())
	fillSecrets(metrics.AppendEmpty().SetEmptyExponentialHistogram().DataPoints().AppendEmpty().Attributes())
	fillSecrets(metrics.AppendEmpty().SetEmptySummary().DataPoints().AppendEmpty().Attributes())
	require.NoError(t, p.ConsumeMetrics(t.Context(), md))

	got := sink.AllMetrics()[0].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	checkMasked(t, got.At(0).Gauge().DataPoints().At(0).Attributes())
	checkMasked(t, got.At(0).Gauge().DataPoints().At(0).Exemplars().At(0).FilteredAttributes())
	checkMasked(t, got.At(1).Sum().DataPoints().At(0).Attributes())
	checkMasked(t, got.At(2).Histogram().DataPoints().At(0).Attributes())
	checkMasked(t, got.At(3).ExponentialHistogram().DataPoints().At(0).Attributes())
	checkMasked(t, got.At(4).Summary().DataPoints().At(0).Attributes())
}

func TestBytes(t *testing.T) {
	p := newTestRedaction(t, createDefaultConfig().(*Config)).begin()
	m := pcommon.NewMap()
	for key, text := range map[string]string{
		"note": "mail to ann@example.com", "latin": "M\xfcller <ann@example.com>", conventions.RequestBody: "password=x&a=b", "image": "\x89PNG\r\n\x1a\n\x00\xff",
	} {
		m.PutEmptyBytes(key).FromRaw([]byte(text))
	}
	p.attributes(m)
	for key, want := range map[string]string{
		"note": "mail to [redacted]", "latin": "M\xfcller <[redacted]>", conventions.RequestBody: "password=[redacted]&a=b", "image": "\x89PNG\r\n\x1a\n\x00\xff",
	} {
		v, ok := m.Get(key)
		require.True(t, ok)
		assert.Equal(t, want, string(v.Bytes().AsRaw()))
	}
}
