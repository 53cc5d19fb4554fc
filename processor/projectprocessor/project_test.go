package projectprocessor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/processor/projectprocessor/internal/metadata"
)

// authData is what an authenticator leaves in the context.
type authData map[string]any

func (a authData) GetAttribute(name string) any { return a[name] }

func (a authData) GetAttributeNames() []string {
	names := make([]string, 0, len(a))
	for name := range a {
		names = append(names, name)
	}
	return names
}

func TestProjectOfData(t *testing.T) {
	tests := map[string]struct {
		defaultProject string
		auth           client.AuthData
		want           string
		code           codes.Code
	}{
		"the key's project":                      {auth: authData{"trackway.project": "shop"}, want: "shop"},
		"the key's project before the default":   {defaultProject: "default", auth: authData{"trackway.project": "shop"}, want: "shop"},
		"the default without authentication":     {defaultProject: "default", want: "default"},
		"the default when the key names none":    {defaultProject: "default", auth: authData{"subject": "x"}, want: "default"},
		"refused without either":                 {code: codes.Unauthenticated},
		"refused when the key names none":        {auth: authData{"subject": "x"}, code: codes.Unauthenticated},
		"refused when the key's is not an id":    {defaultProject: "default", auth: authData{"trackway.project": "Shop EU"}, code: codes.PermissionDenied},
		"refused when the key's is empty":        {defaultProject: "default", auth: authData{"trackway.project": ""}, code: codes.PermissionDenied},
		"refused as the authenticator says":      {defaultProject: "default", auth: authData{"trackway.project": status.Error(codes.Unavailable, "no keys yet")}, code: codes.Unavailable},
		"refused when the key's is not a string": {defaultProject: "default", auth: authData{"trackway.project": 7}, code: codes.PermissionDenied},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := createDefaultConfig().(*Config)
			cfg.DefaultProject = tt.defaultProject
			ctx := client.NewContext(context.Background(), client.Info{Auth: tt.auth})
			set := processortest.NewNopSettings(metadata.Type)

			var traces consumertest.TracesSink
			tp, err := NewFactory().CreateTraces(ctx, set, cfg, &traces)
			require.NoError(t, err)
			td := ptrace.NewTraces()
			rs := td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr(conventions.Project, "forged")
			rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
			errTraces := tp.ConsumeTraces(ctx, td)

			var logs consumertest.LogsSink
			lp, err := NewFactory().CreateLogs(ctx, set, cfg, &logs)
			require.NoError(t, err)
			ld := plog.NewLogs()
			ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			errLogs := lp.ConsumeLogs(ctx, ld)

			var metrics consumertest.MetricsSink
			mp, err := NewFactory().CreateMetrics(ctx, set, cfg, &metrics)
			require.NoError(t, err)
			md := pmetric.NewMetrics()
			md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty()
			errMetrics := mp.ConsumeMetrics(ctx, md)

			if tt.code != codes.OK {
				for _, err := range []error{errTraces, errLogs, errMetrics} {
					require.Error(t, err)
					assert.Equal(t, tt.code, status.Code(err))
				}
				assert.Zero(t, traces.SpanCount()+logs.LogRecordCount()+metrics.DataPointCount(), "refused data went on")
				return
			}
			require.NoError(t, errTraces)
			require.NoError(t, errLogs)
			require.NoError(t, errMetrics)
			assert.Equal(t, tt.want, projectOf(t, traces.AllTraces()[0].ResourceSpans().At(0).Resource()))
			assert.Equal(t, tt.want, projectOf(t, logs.AllLogs()[0].ResourceLogs().At(0).Resource()))
			assert.Equal(t, tt.want, projectOf(t, metrics.AllMetrics()[0].ResourceMetrics().At(0).Resource()))
		})
	}
}

// A body can repeat a key; no copy of the sender's may survive.
func TestRepeatedKeyIsOverwrittenWhole(t *testing.T) {
	payload := []byte(`{"resourceSpans":[{"resource":{"attributes":[
		{"key":"trackway.project","value":{"stringValue":"forged"}},
		{"key":"service.name","value":{"stringValue":"api"}},
		{"key":"trackway.project","value":{"stringValue":"forged"}}]}}]}`)
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(payload)
	require.NoError(t, err)
	overwrite(td.ResourceSpans().At(0).Resource(), "shop")
	var got []string
	for k, v := range td.ResourceSpans().At(0).Resource().Attributes().All() {
		got = append(got, k+"="+v.Str())
	}
	assert.ElementsMatch(t, []string{"service.name=api", "trackway.project=shop"}, got)
}

func projectOf(t *testing.T, r pcommon.Resource) string {
	t.Helper()
	v, ok := r.Attributes().Get(conventions.Project)
	require.True(t, ok, "no project on the resource")
	return v.Str()
}

// charges adds up what is charged to a request.
type charges struct{ items int }

func (c *charges) ChargeItems(n int) { c.items += n }

func TestItemsAreChargedToTheRequest(t *testing.T) {
	var charged charges
	ctx := admission.NewContext(context.Background(), &charged)
	cfg := &Config{AuthAttribute: conventions.Project, DefaultProject: "shop"}
	p, err := newProject(processortest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	spans.AppendEmpty()
	spans.AppendEmpty()
	_, err = p.traces(ctx, td)
	require.NoError(t, err)
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	_, err = p.logs(ctx, ld)
	require.NoError(t, err)
	md := pmetric.NewMetrics()
	md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty()
	_, err = p.metrics(ctx, md)
	require.NoError(t, err)
	assert.Equal(t, 4, charged.items)

	cfg.DefaultProject = ""
	_, err = p.traces(ctx, td)
	require.Error(t, err)
	assert.Equal(t, 4, charged.items, "refused items were charged")
}
