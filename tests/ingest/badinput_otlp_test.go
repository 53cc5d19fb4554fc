package ingest_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

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
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/trackwayhq/trackway/tests/harness"
)

const (
	protobuf = "application/x-protobuf"
	jsonType = "application/json"
)

// otlp is a case of a body posted to an OTLP path.
func otlp(name, path, contentType string, want int, wants []string, body func(t *testing.T) []byte, headers ...string) badCase {
	return badCase{name: "OTLP " + name, want: want, wants: wants, send: func(t *testing.T, stack *harness.Stack) (int, string) {
		return request(t, http.MethodPost, stack.OTLPHTTP+path, body(t), append([]string{"Content-Type", contentType}, headers...)...)
	}}
}

// oneSpan gives the body of a span that is changed.
func oneSpan(change func(ptrace.Span)) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		t.Helper()
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "odd-otlp")
		s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{1})
		s.SetName("odd")
		now := time.Now()
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(now))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(now.Add(time.Millisecond)))
		change(s)
		body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
		require.NoError(t, err)
		return body
	}
}

func oneRecord(change func(plog.LogRecord)) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		t.Helper()
		ld := plog.NewLogs()
		change(ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty())
		body, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
		require.NoError(t, err)
		return body
	}
}

// nest puts maps into each other.
func nest(v pcommon.Value, depth int) {
	for range depth {
		v = v.SetEmptyMap().PutEmpty("a")
	}
	v.SetStr("deep")
}

// manyEvents is a span whose events are written by hand: making them of pdata would
// take the test as much memory as it should cost the collector.
func manyEvents(n int) func(t *testing.T) []byte {
	return func(*testing.T) []byte {
		now := binary.LittleEndian.AppendUint64(nil, uint64(time.Now().UnixNano()))
		event := append(append([]byte{0x5a, 12, 0x09}, now...), 0x12, 1, 'e') // events { time_unix_nano, name }
		span := append([]byte{0x0a, 16}, bytes.Repeat([]byte{3}, 16)...)
		span = append(append(span, 0x12, 8), bytes.Repeat([]byte{3}, 8)...)
		span = append(span, 0x2a, 4, 'm', 'a', 'n', 'y', 0x39)
		span = append(append(append(span, now...), 0x41), now...)
		span = append(span, bytes.Repeat(event, n)...)
		for range 3 { // spans of scope_spans of resource_spans
			span = append(binary.AppendUvarint([]byte{0x12}, uint64(len(span))), span...)
		}
		span[0] = 0x0a // resource_spans is the first field of the request
		return span
	}
}

// otlpBodies are odd and wrong requests of OTLP.
func otlpBodies() []badCase {
	const traces, logs, metrics = "/v1/traces", "/v1/logs", "/v1/metrics"
	return []badCase{
		otlp("empty body", traces, protobuf, ok, nil, text("")),
		otlp("garbage for protobuf", traces, protobuf, bad, nil, text("\xff\xff\xff\xffgarbage")),
		otlp("garbage for JSON", logs, jsonType, bad, nil, text(`{"resourceLogs":[`)),
		otlp("wrong type in JSON", traces, jsonType, bad, nil, text(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":7}]}]}]}`)),
		otlp("trace id of odd hex in JSON", traces, jsonType, bad, nil, text(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"abc"}]}]}]}`)),
		otlp("wrong content type", traces, "text/plain", badType, nil, text("x")),
		otlp("NDJSON to the port of OTLP", traces, "application/x-ndjson", badType, nil, text(`{"type":"span","name":"a"}`)),
		otlp("cut gzip", metrics, protobuf, bad, nil, func(t *testing.T) []byte { return compress(t, "gzip", bytes.Repeat([]byte("x"), 10_000))[:30] }, "Content-Encoding", "gzip"),
		otlp("zip bomb", traces, protobuf, tooBig, []string{"20971520 bytes (max_request_bytes)"}, func(t *testing.T) []byte { return compress(t, "gzip", make([]byte, 300<<20)) }, "Content-Encoding", "gzip"),
		otlp("unknown encoding", traces, protobuf, badType, []string{"content encoding"}, text("x"), "Content-Encoding", "br"),
		otlp("resource without spans", traces, jsonType, ok, nil, text(`{"resourceSpans":[{},{"scopeSpans":[{}]}]}`)),
		otlp("trace id of zeros", traces, protobuf, ok, nil, oneSpan(func(s ptrace.Span) { s.SetTraceID([16]byte{}); s.SetSpanID([8]byte{}) })),
		otlp("end before start", traces, protobuf, ok, nil, oneSpan(func(s ptrace.Span) { s.SetEndTimestamp(s.StartTimestamp() - 1e9); s.SetName("backwards") })),
		otlp("times of zero", traces, protobuf, ok, nil, oneSpan(func(s ptrace.Span) { s.SetStartTimestamp(0); s.SetEndTimestamp(0); s.SetName("zero") })),
		otlp("time beyond all", traces, protobuf, ok, nil, oneSpan(func(s ptrace.Span) {
			s.SetStartTimestamp(math.MaxUint64)
			s.SetEndTimestamp(math.MaxUint64)
			s.SetName("beyond")
		})),
		otlp("10,000 attributes", traces, protobuf, ok, nil, oneSpan(func(s ptrace.Span) {
			for i := range 10_000 {
				s.Attributes().PutStr(fmt.Sprintf("k%d", i), "v")
			}
		})),
		otlp("invalid UTF-8 everywhere", traces, protobuf, ok, nil, oneSpan(func(s ptrace.Span) {
			s.SetName("bad\xff")
			s.Attributes().PutStr("k\xfe", "v\xfd")
			s.Status().SetMessage("m\xfc")
			s.TraceState().FromRaw("t\xfb")
			e := s.Events().AppendEmpty()
			e.SetName("e\xfa")
			e.Attributes().PutStr("exception.stacktrace", "s\xf9")
		})),
		otlp("attributes 1,000 deep", traces, protobuf, ok, nil, oneSpan(func(s ptrace.Span) { nest(s.Attributes().PutEmpty("deep"), 1000) })),
		otlp("log body 1,000 deep", logs, protobuf, ok, nil, oneRecord(func(r plog.LogRecord) { nest(r.Body(), 1000) })),
		otlp("log body of 5 MB", logs, protobuf, ok, nil, oneRecord(func(r plog.LogRecord) { r.Body().SetStr(strings.Repeat("long ", 1<<20)) })),
		otlp("log record of nothing", logs, protobuf, ok, nil, oneRecord(func(plog.LogRecord) {})),
		otlp("severity out of range", logs, protobuf, ok, nil, oneRecord(func(r plog.LogRecord) { r.SetSeverityNumber(-7); r.Body().SetStr("loud") })),
		otlp("NaN for a metric", metrics, protobuf, ok, nil, func(t *testing.T) []byte {
			md := pmetric.NewMetrics()
			m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
			m.SetName("odd.nan")
			d := m.SetEmptyGauge().DataPoints().AppendEmpty()
			d.SetDoubleValue(math.NaN())
			d.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
			body, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
			require.NoError(t, err)
			return body
		}),
		{name: "OTLP gRPC message of 5 MB", want: int(codes.ResourceExhausted), wants: []string{"larger than max"}, send: func(t *testing.T, stack *harness.Stack) (int, string) {
			return grpcSend(t, stack, oneSpan(func(s ptrace.Span) { s.Attributes().PutStr("big", strings.Repeat("x", 5<<20)) })(t))
		}},
		{name: "OTLP gRPC of nothing", want: int(codes.OK), send: func(t *testing.T, stack *harness.Stack) (int, string) { return grpcSend(t, stack, nil) }},
		{name: "OTLP gRPC odd span", want: int(codes.OK), send: func(t *testing.T, stack *harness.Stack) (int, string) {
			return grpcSend(t, stack, oneSpan(func(s ptrace.Span) { s.SetTraceID([16]byte{}); s.SetEndTimestamp(0) })(t))
		}},
		{name: "HTTP/1 to the port of gRPC", want: 0, send: func(t *testing.T, stack *harness.Stack) (int, string) {
			_, err := http.Post("http://"+stack.OTLPGRPC+"/v1/traces", protobuf, strings.NewReader("x"))
			assert.Error(t, err)
			return 0, ""
		}},
	}
}

// grpcSend exports a request as it is and gives the code of the answer.
func grpcSend(t *testing.T, stack *harness.Stack, body []byte) (int, string) {
	t.Helper()
	conn, err := grpc.NewClient(stack.OTLPGRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	traces := ptraceotlp.NewExportRequest()
	require.NoError(t, traces.UnmarshalProto(body))
	_, err = ptraceotlp.NewGRPCClient(conn).Export(t.Context(), traces)
	return int(status.Code(err)), fmt.Sprint(err)
}
