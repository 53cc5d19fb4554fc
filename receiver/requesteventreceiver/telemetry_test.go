package requesteventreceiver

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/trackwayhq/trackway/receiver/requesteventreceiver/internal/metadata"
)

// What never became an item, or was refused, is counted by its reason; items are
// counted by the receiver helper.
func TestTelemetry(t *testing.T) {
	tel := componenttest.NewTelemetry()
	defer func() { require.NoError(t, tel.Shutdown(context.Background())) }()
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = "127.0.0.1:0"
	set := receivertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	f := NewFactory()
	r, err := f.CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	url := "http://" + r.(*shared).listener.Addr().String() + ingestPath
	assert.Equal(t, http.StatusOK, post(t, url, []byte(goodLine+goodLine+"{}\n[\n{}\n"+`{"type":"event","name":"a"}`)).status)
	assert.Equal(t, http.StatusBadRequest, post(t, url, []byte("{}")).status)
	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, r.Shutdown(t.Context()))

	counted := func(metric, key string) map[string]int64 {
		m, err := tel.GetMetric(metric)
		require.NoError(t, err)
		out := map[string]int64{}
		for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
			v, _ := p.Attributes.Value(attribute.Key(key))
			out[v.String()] += p.Value
		}
		return out
	}
	assert.Equal(t, map[string]int64{"unknown_type": 3, "invalid_json": 1, "no_pipeline": 1},
		counted("otelcol_receiver_request_event_rejected_lines", "reason"))
	assert.Equal(t, map[string]int64{"400": 1},
		counted("otelcol_receiver_request_event_rejected_bodies", "http.response.status_code"))
	assert.Equal(t, map[string]int64{"http": 2}, counted("otelcol_receiver_accepted_spans", "transport"))
}
