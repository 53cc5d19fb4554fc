package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // registers the compressor

	"github.com/trackwayhq/trackway/tests/harness"
)

const arrival = 60 * time.Second

// signals is one span, one log record and one metric, marked with a route so
// that they are found again.
type signals struct {
	traces  ptraceotlp.ExportRequest
	logs    plogotlp.ExportRequest
	metrics pmetricotlp.ExportRequest
}

func newSignals(mark string) signals {
	now := time.Now()
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "otlp-"+mark)
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID([16]byte{1, 2, 3, 15: 9})
	span.SetSpanID([8]byte{4, 7: 5})
	span.SetKind(ptrace.SpanKindServer)
	span.SetName("GET /" + mark)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(now.Add(-time.Second)))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(now))
	span.Attributes().PutStr("http.request.method", "GET")
	span.Attributes().PutStr("http.route", "/"+mark)
	span.Attributes().PutInt("http.response.status_code", 418)
	span.Attributes().PutEmptyBytes("blob").FromRaw([]byte{0, 1, 255})

	logs := plog.NewLogs()
	rl := logs.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "otlp-"+mark)
	record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.SetTimestamp(pcommon.NewTimestampFromTime(now))
	record.SetSeverityNumber(plog.SeverityNumberWarn)
	record.SetEventName("order." + mark)
	record.Body().SetStr("hello; 'ü'")

	metrics := pmetric.NewMetrics()
	rm := metrics.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "otlp-"+mark)
	metric := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	metric.SetName("m." + mark)
	sum := metric.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	point := sum.DataPoints().AppendEmpty()
	point.SetTimestamp(pcommon.NewTimestampFromTime(now))
	point.SetStartTimestamp(pcommon.NewTimestampFromTime(now.Add(-time.Minute)))
	point.SetIntValue(42)

	return signals{
		ptraceotlp.NewExportRequestFromTraces(traces),
		plogotlp.NewExportRequestFromLogs(logs),
		pmetricotlp.NewExportRequestFromMetrics(metrics),
	}
}

// TestOTLP sends all three signals through every transport and encoding and
// finds them in the tables they belong to.
func TestOTLP(t *testing.T) {
	stack := harness.StartStack(t)
	for _, c := range []struct {
		mark string
		send func(*testing.T, *harness.Stack, signals)
	}{
		{"protobuf", overHTTP("application/x-protobuf", "")},
		{"protobuf-gzip", overHTTP("application/x-protobuf", "gzip")},
		{"protobuf-zstd", overHTTP("application/x-protobuf", "zstd")},
		{"json", overHTTP("application/json", "")},
		{"json-gzip", overHTTP("application/json", "gzip")},
		{"grpc", overGRPC("")},
		{"grpc-gzip", overGRPC("gzip")},
	} {
		t.Run(c.mark, func(t *testing.T) {
			c.send(t, stack, newSignals(c.mark))
			filter := "service = 'otlp-" + c.mark + "'"
			require.Eventually(t, func() bool {
				requests, err := stack.TryList("requests", filter)
				if err != nil || len(requests) != 1 {
					return false
				}
				events, err := stack.TryList("events", filter)
				return err == nil && len(events) == 1
			}, arrival, 100*time.Millisecond, "one request and one event")
			request := stack.List(t, "requests", filter)[0]
			assert.Equal(t, "/"+c.mark, request.Route)
			assert.EqualValues(t, 418, request.Status)
			assert.EqualValues(t, time.Second, request.Duration)
			assert.Equal(t, "AAH/", request.Attributes["blob"], "bytes in pdata's string form")
			event := stack.List(t, "events", filter)[0]
			assert.Equal(t, "order."+c.mark, event.Name)
			assert.Equal(t, "hello; 'ü'", event.Message)
			assert.EqualValues(t, plog.SeverityNumberWarn, event.Severity)

			var last string
			ok := assert.Eventually(t, func() bool {
				got, err := stack.ClickHouse.TryQuery(context.Background(),
					"SELECT Value, IsMonotonic FROM trackway.otel_metrics_sum WHERE MetricName = 'm."+c.mark+"'")
				last = fmt.Sprint(got, err)
				return got == "42\ttrue"
			}, arrival, 100*time.Millisecond)
			assert.True(t, ok, "metric in otel_metrics_sum: ", last)
		})
	}
}

// overHTTP posts the three requests with a content type and a compression.
func overHTTP(contentType, encoding string) func(*testing.T, *harness.Stack, signals) {
	return func(t *testing.T, stack *harness.Stack, s signals) {
		t.Helper()
		marshal := func(proto, json func() ([]byte, error)) []byte {
			f := proto
			if contentType == "application/json" {
				f = json
			}
			body, err := f()
			require.NoError(t, err)
			return compress(t, encoding, body)
		}
		for path, body := range map[string][]byte{
			"/v1/traces":  marshal(s.traces.MarshalProto, s.traces.MarshalJSON),
			"/v1/logs":    marshal(s.logs.MarshalProto, s.logs.MarshalJSON),
			"/v1/metrics": marshal(s.metrics.MarshalProto, s.metrics.MarshalJSON),
		} {
			status, answer := post(t, stack.OTLPHTTP+path, contentType, encoding, body)
			assert.Equalf(t, http.StatusOK, status, "POST %s: %s", path, answer)
		}
	}
}

func overGRPC(compressor string) func(*testing.T, *harness.Stack, signals) {
	return func(t *testing.T, stack *harness.Stack, s signals) {
		t.Helper()
		conn, err := grpc.NewClient(stack.OTLPGRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		var options []grpc.CallOption
		if compressor != "" {
			options = append(options, grpc.UseCompressor(compressor))
		}
		_, err = ptraceotlp.NewGRPCClient(conn).Export(t.Context(), s.traces, options...)
		require.NoError(t, err)
		_, err = plogotlp.NewGRPCClient(conn).Export(t.Context(), s.logs, options...)
		require.NoError(t, err)
		_, err = pmetricotlp.NewGRPCClient(conn).Export(t.Context(), s.metrics, options...)
		require.NoError(t, err)
	}
}

// TestBadOTLP sends what is no OTLP and wants clear refusals, and good data to
// pass before and after.
func TestBadOTLP(t *testing.T) {
	stack := harness.StartStack(t)
	good := newSignals("good")
	overHTTP("application/x-protobuf", "")(t, stack, good)
	body, err := good.traces.MarshalProto()
	require.NoError(t, err)

	for _, c := range []struct {
		name, contentType, encoding string
		body                        []byte
		status                      int
	}{
		{"garbage as protobuf", "application/x-protobuf", "", []byte("\xff\xfe nonsense"), http.StatusBadRequest},
		{"garbage as JSON", "application/json", "", []byte(`{"resourceSpans": "no"`), http.StatusBadRequest},
		{"cut protobuf", "application/x-protobuf", "", body[:len(body)-3], http.StatusBadRequest},
		{"not gzip", "application/x-protobuf", "gzip", body, http.StatusBadRequest},
		{"unknown compression", "application/x-protobuf", "sparkle", body, http.StatusUnsupportedMediaType},
		{"unknown content type", "text/plain", "", body, http.StatusUnsupportedMediaType},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, answer := post(t, stack.OTLPHTTP+"/v1/traces", c.contentType, c.encoding, c.body)
			assert.Equal(t, c.status, status, answer)
			assert.NotEmpty(t, answer)
		})
	}
	overHTTP("application/x-protobuf", "")(t, stack, newSignals("after"))
	require.Eventually(t, func() bool {
		rows, err := stack.TryList("requests", "")
		return err == nil && len(rows) == 2
	}, arrival, 100*time.Millisecond, "the two good requests, nothing else")
}

func post(t *testing.T, address, contentType, encoding string, body []byte) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", contentType)
	if encoding != "" {
		req.Header.Set("Content-Encoding", encoding)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(content)
}

func compress(t *testing.T, encoding string, body []byte) []byte {
	t.Helper()
	switch encoding {
	case "gzip":
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, err := w.Write(body)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return out.Bytes()
	case "zstd":
		w, err := zstd.NewWriter(nil)
		require.NoError(t, err)
		return w.EncodeAll(body, nil)
	}
	return body
}
