package ingest_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"

	"github.com/trackwayhq/trackway/tests/harness"
)

// badInputMemory bounds the collector's resident memory at any moment of any case.
const badInputMemory = 400 << 20

// peak gives the most resident memory of a process since the last call, and begins
// anew (proc_pid_clear_refs(5)).
func peak(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "VmHWM:")
	require.True(t, found)
	var kib int64
	_, err = fmt.Sscan(rest, &kib)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o600))
	return kib << 10
}

// inside puts a body into fields of messages by their tags, the innermost first.
func inside(body []byte, tags ...byte) []byte {
	for _, tag := range tags {
		body = append(binary.AppendUvarint([]byte{tag}, uint64(len(body))), body...)
	}
	return body
}

// Tags of fields that are messages.
const (
	tag1  = 0x0a
	tag2  = 0x12
	tag5  = 0x2a
	tag9  = 0x4a
	tag11 = 0x5a
	tag13 = 0x6a
)

// copies gives a field n times, with so many messages around it.
func copies(n int, field []byte, tags ...byte) func(t *testing.T) []byte {
	return func(*testing.T) []byte { return inside(bytes.Repeat(field, n), tags...) }
}

// nested is a value of arrays in arrays.
func nested(depth int) []byte {
	var heads [][]byte
	size := 0
	for range depth {
		for _, tag := range []byte{tag1, tag5} { // values of array_value
			head := binary.AppendUvarint([]byte{tag}, uint64(size))
			heads = append(heads, head)
			size += len(head)
		}
	}
	body := make([]byte, 0, size)
	for i := len(heads) - 1; i >= 0; i-- {
		body = append(body, heads[i]...)
	}
	return body
}

// heavyBodies take far more memory decoded than they have bytes.
func heavyBodies() []badCase {
	const traces, logs, metrics = "/v1/traces", "/v1/logs", "/v1/metrics"
	heavy := func(name, path string, body func(t *testing.T) []byte) badCase {
		return otlp(name, path, protobuf, tooBig, []string{"max_decoded_bytes", "send smaller batches"}, body)
	}
	empty := func(tag byte) []byte { return []byte{tag, 0} }
	attribute := append([]byte{tag9, 11, tag1, 3, 'k', 'e', 'y', tag2, 4, tag1, 2}, 'v', 'v')
	link := append([]byte{tag13, 28, tag1, 16}, bytes.Repeat([]byte{7}, 16)...)
	link = append(append(link, tag2, 8), bytes.Repeat([]byte{7}, 8)...)
	record := []byte{tag2, 6, tag5, 4, tag1, 2, 'h', 'i'}
	const millions = 9 << 20
	dense := `{"type":"span","name":"n","service":"odd","attributes":{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, 250), ",") + "}}\n"
	array := `{"type":"span","name":"n","service":"odd","attributes":{"a":[` + strings.Repeat("1,", 16_000) + "1]}}\n"
	return []badCase{
		heavy("9 million empty spans", traces, copies(millions, empty(tag2), tag2, tag1)),
		heavy("9 million empty events", traces, copies(millions, empty(tag11), tag2, tag2, tag1)),
		heavy("9 million empty links", traces, copies(millions, empty(tag13), tag2, tag2, tag1)),
		heavy("9 million empty attributes", traces, copies(millions, empty(tag9), tag2, tag2, tag1)),
		heavy("9 million empty resources", traces, copies(millions, empty(tag1))),
		heavy("9 million empty scopes", logs, copies(millions, empty(tag2), tag1)),
		heavy("9 million empty log records", logs, copies(millions, empty(tag2), tag2, tag1)),
		heavy("9 million empty metrics", metrics, copies(millions, empty(tag2), tag2, tag1)),
		heavy("9 million empty array elements", logs, copies(millions, empty(tag1), tag5, tag5, tag2, tag2, tag1)),
		heavy("a million attributes on a span", traces, copies(1_000_000, attribute, tag2, tag2, tag1)),
		heavy("a million tiny log records", logs, copies(1_000_000, record, tag2, tag1)),
		otlp("6 million empty spans in JSON", traces, jsonType, tooBig, []string{"max_decoded_bytes"},
			text(`{"resourceSpans":[{"scopeSpans":[{"spans":[`+strings.Repeat("{},", 6<<20)+`{}]}]}]}`)),
		otlp("arrays two million deep", logs, protobuf, bad, []string{"nested too deep: want messages at most 10000 deep"}, func(*testing.T) []byte { return inside(nested(1_900_000), tag5, tag2, tag2, tag1) }),
		otlp("arrays 100,000 deep in JSON", logs, jsonType, bad, []string{"nested too deep"},
			text(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":`+strings.Repeat(`{"arrayValue":{"values":[`, 100_000))),
		otlp("a group, which OTLP has none of", traces, protobuf, tooBig, []string{"max_decoded_bytes"}, copies(1<<20, []byte{0x0b})),
		otlp("half a million links on a span", traces, protobuf, ok, nil, copies(500_000, link, tag2, tag2, tag1)),
		{name: "OTLP a million events on a span", want: ok, send: func(t *testing.T, stack *harness.Stack) (int, string) {
			status, answer := request(t, http.MethodPost, stack.OTLPHTTP+traces, manyEvents(1_000_000)(t), "Content-Type", protobuf)
			eventuallyOne(t, stack, "SELECT count() = 1024 FROM trackway.events WHERE hex(span_id) = '0303030303030303'")
			// The cases before had more names and keys than a project may have, so what this span has can be among others.
			eventuallyOne(t, stack, "SELECT count() = 1 FROM trackway.spans WHERE hex(span_id) = '0303030303030303'"+
				" AND has(splitByChar(',', toString(marks)), 'events_left_out')"+
				" AND (attributes['otel.dropped_events_count'] = '998976' OR attributes['(other)'] LIKE '%otel.dropped_events_count=998976%')")
			return status, answer
		}},
		{name: "OTLP eight at once with a million events", want: ok, send: eightAtOnce},
		{name: "OTLP gRPC of 2 million empty events", want: int(codes.ResourceExhausted), wants: []string{"max_decoded_bytes"}, send: grpcRaw(copies(2_000_000, empty(tag11), tag2, tag2, tag1))},
		{name: "OTLP gRPC arrays 300,000 deep", want: int(codes.InvalidArgument), wants: []string{"nested too deep"}, send: grpcRaw(func(*testing.T) []byte {
			return inside(nested(300_000), tag2, tag9, tag2, tag2, tag1) // the value of an attribute
		})},
		{name: "OTLP gRPC zip bomb", want: int(codes.ResourceExhausted), wants: []string{"larger than max"}, send: grpcRaw(copies(100<<20, []byte{0}, tag1), grpc.UseCompressor(gzip.Name))},
		{name: "OTLP gRPC garbage", want: int(codes.Internal), wants: []string{"unmarshal"}, send: grpcRaw(text("\x0a\xff\x01garbage"))},
		ndjson("2.5 million attributes", tooBig, []string{"max_decoded_bytes"}, text(strings.Repeat(dense, 10_000))),
		ndjson("10 million numbers", tooBig, []string{"max_decoded_bytes"}, text(strings.Repeat(array, 600))),
		ndjson("100,000 smallest items", ok, []string{`"accepted":100000,"rejected":0`}, text(strings.Repeat(`{"type":"span","name":"n"}`+"\n", 100_000))),
	}
}

func eventuallyOne(t *testing.T, stack *harness.Stack, sql string) {
	t.Helper()
	require.Eventually(t, func() bool {
		got, err := stack.ClickHouse.TryQuery(t.Context(), sql)
		return err == nil && got == "1"
	}, arrival, 100*time.Millisecond, sql)
}

// eightAtOnce are more than there is memory for: each is taken or told to wait.
func eightAtOnce(t *testing.T, stack *harness.Stack) (int, string) {
	body := manyEvents(1_000_000)(t)
	var sending sync.WaitGroup
	var answers sync.Map
	for i := range 8 {
		sending.Go(func() {
			res, err := http.Post(stack.OTLPHTTP+"/v1/traces", protobuf, bytes.NewReader(body))
			if err != nil {
				answers.Store(i, err.Error())
				return
			}
			_ = res.Body.Close()
			answers.Store(i, res.StatusCode)
		})
	}
	sending.Wait()
	for _, answer := range answers.Range {
		assert.Contains(t, []any{http.StatusOK, http.StatusTooManyRequests}, answer)
	}
	return ok, ""
}

// rawCodec sends bytes as they are.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error)   { return v.([]byte), nil }
func (rawCodec) Unmarshal(b []byte, v any) error { *v.(*[]byte) = b; return nil }
func (rawCodec) Name() string                    { return "proto" }

// grpcRaw sends bytes as a request for traces.
func grpcRaw(body func(t *testing.T) []byte, options ...grpc.CallOption) func(t *testing.T, stack *harness.Stack) (int, string) {
	return func(t *testing.T, stack *harness.Stack) (int, string) {
		conn, err := grpc.NewClient(stack.OTLPGRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(t, err)
		defer func() { require.NoError(t, conn.Close()) }()
		const method = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
		var answer []byte
		err = conn.Invoke(t.Context(), method, body(t), &answer, append(options, grpc.ForceCodec(rawCodec{}))...)
		return int(status.Code(err)), fmt.Sprint(err)
	}
}
