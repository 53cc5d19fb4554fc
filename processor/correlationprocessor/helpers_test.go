package correlationprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/trackwayhq/trackway/internal/conventions"
)

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
