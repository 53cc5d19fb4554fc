package correlationprocessor

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"pgregory.net/rapid"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/processor/correlationprocessor/internal/metadata"
)

func carrying() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.CarryForward.MaxTraces = 100
	return cfg
}

// step is one record and the keys it must have in the end.
type step struct {
	project string
	trace   byte // 0: none
	record  attrs
	want    map[string]string
}

func TestCarryForward(t *testing.T) {
	for name, tt := range map[string]struct {
		config func(*Config)
		steps  []step
	}{
		"to later records of the trace": {steps: []step{
			{trace: 1, record: attrs{"http.route": "/"}},
			{trace: 1, record: attrs{"user.id": "u1"}, want: map[string]string{"user_id": "u1"}},
			{trace: 1, record: attrs{"order.id": "o1"}, want: map[string]string{"user_id": "u1", "order_id": "o1"}},
			{trace: 1, want: map[string]string{"user_id": "u1", "order_id": "o1"}},
			{trace: 2},
			{trace: 0},
		}},
		"its own value wins and is carried from then on": {steps: []step{
			{trace: 1, record: attrs{"user.id": "u1"}, want: map[string]string{"user_id": "u1"}},
			{trace: 1, record: attrs{"user.id": "u2"}, want: map[string]string{"user_id": "u2"}},
			{trace: 1, want: map[string]string{"user_id": "u2"}},
		}},
		"not between projects": {steps: []step{
			{project: "a", trace: 1, record: attrs{"user.id": "u1"}, want: map[string]string{"user_id": "u1"}},
			{project: "b", trace: 1},
			{project: "a", trace: 1, want: map[string]string{"user_id": "u1"}},
		}},
		"nothing refused": {steps: []step{
			{trace: 1, record: attrs{"user.id": conventions.Mask}},
			{trace: 1},
		}},
		"only some keys": {
			config: func(c *Config) { c.CarryForward.Keys = []string{"order_id"} },
			steps: []step{
				{trace: 1, record: attrs{"user.id": "u1", "order.id": "o1"}, want: map[string]string{"user_id": "u1", "order_id": "o1"}},
				{trace: 1, want: map[string]string{"order_id": "o1"}},
			},
		},
		"at most max_keys": {
			config: func(c *Config) { c.MaxKeys = 1 },
			steps: []step{
				{trace: 1, record: attrs{"user.id": "u1"}, want: map[string]string{"user_id": "u1"}},
				{trace: 1, record: attrs{"order.id": "o1"}, want: map[string]string{"order_id": "o1"}},
			},
		},
		"not by default": {
			config: func(c *Config) { *c = *createDefaultConfig().(*Config) },
			steps: []step{
				{trace: 1, record: attrs{"user.id": "u1"}, want: map[string]string{"user_id": "u1"}},
				{trace: 1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := carrying()
			if tt.config != nil {
				tt.config(cfg)
			}
			c, err := newCorrelation(processortest.NewNopSettings(metadata.Type), cfg)
			require.NoError(t, err)
			for i, s := range tt.steps {
				m := pcommon.NewMap()
				require.NoError(t, m.FromRaw(s.record))
				ks := keys{project: s.project}
				c.record(&ks, pcommon.TraceID{s.trace}, m, nil)
				assert.Equal(t, s.want, correlationOf(t, m), "step %d", i)
			}
		})
	}
}

// Logs have the keys of spans of their trace: the processors of the pipelines of
// one configuration are one.
func TestCarryFromSpansToLogs(t *testing.T) {
	tel := componenttest.NewTelemetry()
	defer func() { require.NoError(t, tel.Shutdown(t.Context())) }()
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	cfg := carrying()
	traces, err := NewFactory().CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	var sink consumertest.LogsSink
	logs, err := NewFactory().CreateLogs(t.Context(), set, cfg, &sink)
	require.NoError(t, err)

	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{1})
	s.Attributes().PutStr("user.id", "u1")
	require.NoError(t, traces.ConsumeTraces(t.Context(), td))
	ld := plog.NewLogs()
	l := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	l.SetTraceID(pcommon.TraceID{1})
	require.NoError(t, logs.ConsumeLogs(t.Context(), ld))
	assert.Equal(t, map[string]string{"user_id": "u1"}, correlationOf(t, l.Attributes()))

	m, err := tel.GetMetric("otelcol_processor_correlation_carried_keys")
	require.NoError(t, err)
	assert.EqualValues(t, 1, m.Data.(metricdata.Sum[int64]).DataPoints[0].Value)
	m, err = tel.GetMetric("otelcol_processor_correlation_carried_traces")
	require.NoError(t, err)
	assert.EqualValues(t, 1, m.Data.(metricdata.Gauge[int64]).DataPoints[0].Value)

	require.NoError(t, traces.Shutdown(t.Context()))
	require.NoError(t, logs.Shutdown(t.Context()))
	instances.mu.Lock()
	defer instances.mu.Unlock()
	assert.NotContains(t, instances.by, cfg)
}

// Whatever is put, the cache stays within its bounds, knows its size, forgets what
// is old, and gives the last value of what it still has.
func TestCarryCacheBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := createDefaultConfig().(*Config)
		cfg.MaxKeys = rapid.IntRange(1, 4).Draw(t, "max keys")
		cfg.CarryForward = CarryConfig{
			MaxTraces: rapid.IntRange(1, 8).Draw(t, "max traces"),
			MaxBytes:  rapid.IntRange(1, 4096).Draw(t, "max bytes"),
			TTL:       10 * time.Second,
		}
		now := time.Unix(1e9, 0)
		c, err := newCarryCache(cfg, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		last, touched := map[string]string{}, map[traceKey]time.Time{}
		var added, forgotten int64
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 4).Draw(t, "seconds")) * time.Second)
			k := traceKey{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "project"), pcommon.TraceID{byte(rapid.IntRange(1, 9).Draw(t, "trace"))}}
			known := c.get(k)
			if known != nil && now.Sub(touched[k]) > cfg.CarryForward.TTL {
				t.Fatalf("%v was silent for %s", k, now.Sub(touched[k]))
			}
			for _, p := range known {
				if want := last[fmt.Sprint(k, p.attribute)]; p.value != want {
					t.Fatalf("%v %s is %q, want %q", k, p.attribute, p.value, want)
				}
			}
			touched[k] = now
			if rapid.Bool().Draw(t, "put") {
				attribute := rapid.SampledFrom([]string{"k1", "k2", "k3", "k4", "k5"}).Draw(t, "key")
				value := strings.Repeat("v", rapid.IntRange(1, 300).Draw(t, "length"))
				if !c.traces.Contains(k) {
					added++
				}
				c.put(k, []pair{{attribute, value}})
				last[fmt.Sprint(k, attribute)] = value
			}
			bytes := 0
			for _, e := range c.traces.Values() {
				own := traceOverhead + 1
				for _, p := range e.pairs {
					own += pairOverhead + len(p.attribute) + len(p.value)
				}
				if own != e.bytes || len(e.pairs) > cfg.MaxKeys {
					t.Fatalf("%d bytes and %d keys, want %d bytes and at most %d keys", e.bytes, len(e.pairs), own, cfg.MaxKeys)
				}
				bytes += own
			}
			forgot, traces := c.takeForgot()
			for _, n := range forgot {
				forgotten += n
			}
			if bytes != c.bytes || bytes > cfg.CarryForward.MaxBytes || traces > cfg.CarryForward.MaxTraces || added != forgotten+int64(traces) {
				t.Fatalf("%d bytes counted as %d, %d traces, %d added, %d forgotten", bytes, c.bytes, traces, added, forgotten)
			}
		}
	})
}

func TestCarryCacheConcurrently(t *testing.T) {
	cfg := carrying()
	cfg.CarryForward.MaxTraces = 4
	c, err := newCorrelation(processortest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				m := pcommon.NewMap()
				m.PutStr("user.id", fmt.Sprint(i))
				m.PutStr(fmt.Sprintf("correlation.k%d", i), "v")
				ks := keys{project: "p"}
				c.record(&ks, pcommon.TraceID{byte(1 + (i+g)%8)}, m, nil)
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, c.carry.traces.Len(), 4)
	assert.Len(t, c.distinct.admitted["p"], defaultMaxDistinctKeys)
}
