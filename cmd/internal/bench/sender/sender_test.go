package sender

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// send runs the sender as its parent does, and gives everything it said.
func send(t *testing.T, spec Spec) (all []Message, result *Result) {
	t.Helper()
	line, err := json.Marshal(spec)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, Main(t.Context(), strings.NewReader(string(line)+"\n\n"), &out))
	for text := range bytes.Lines(out.Bytes()) {
		var m Message
		require.NoError(t, json.Unmarshal(text, &m))
		all = append(all, m)
	}
	require.NotEmpty(t, all)
	require.NotNil(t, all[0].Ready)
	result = all[len(all)-1].Result
	require.NotNil(t, result)
	return all, result
}

func ndjson(batch int) workload.Options {
	return workload.Options{Seed: 1, Format: workload.NDJSON, Mix: workload.Mix{Requests: 1, Spans: 4, Events: 1}, Batch: batch}
}

func TestClosedLoopCountsWhatWasTaken(t *testing.T) {
	var got atomic.Int64
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.Equal(t, "/v1/ingest", r.URL.Path)
		assert.Equal(t, "Bearer twk_b", r.Header.Get("Authorization"))
		got.Add(int64(bytes.Count(body, []byte("\n"))))
		io.WriteString(w, `{"accepted":12,"rejected":0}`)
	}))
	defer endpoint.Close()
	_, r := send(t, Spec{Workload: ndjson(12), URL: endpoint.URL, Connections: 3, Warmup: 0.05, Duration: 0.1, Keys: []string{"twk_b"}})
	assert.Equal(t, got.Load(), r.All.ItemsAccepted)
	assert.Equal(t, r.All.ItemsAccepted, r.All.Requests+r.All.Spans+r.All.Events)
	assert.Equal(t, r.All.Requests*4, r.All.Spans)
	assert.Less(t, r.Measured.ItemsAccepted, r.All.ItemsAccepted, "the warm-up is not measured")
	assert.Equal(t, r.Measured.BatchesAccepted, r.Latency.Count)
	assert.Zero(t, r.All.Failed+r.All.Refused429+r.All.Refused503+r.All.ItemsUnknown)
}

func TestOpenLoopCountsFromTheDueTime(t *testing.T) {
	var n atomic.Int64
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 1 {
			time.Sleep(200 * time.Millisecond) // the stall to be measured
		}
		io.WriteString(w, `{"accepted":1,"rejected":0}`)
	}))
	defer endpoint.Close()
	_, r := send(t, Spec{Workload: workload.Options{Seed: 1, Format: workload.NDJSON, Batch: 1}, URL: endpoint.URL, Connections: 1, Rate: 100, Duration: 0.5})
	assert.Equal(t, int64(50), r.All.BatchesAccepted+r.All.Unsent)
	// Twenty bodies were due while the only connection waited; a loop that omits
	// what it did not send would report one slow body.
	assert.GreaterOrEqual(t, r.Latency.P90, 100.0)
}

func TestAnswersAreCountedApart(t *testing.T) {
	var n atomic.Int64
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		switch n.Add(1) {
		case 1:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, "broken")
		case 3:
			w.WriteHeader(http.StatusBadRequest)
		case 4:
			panic(http.ErrAbortHandler)
		case 5:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			io.WriteString(w, `{"accepted":11,"rejected":1}`)
		}
	}))
	defer endpoint.Close()
	_, r := send(t, Spec{Workload: ndjson(12), URL: endpoint.URL, Connections: 1, Duration: 3})
	assert.Equal(t, int64(1), r.All.Refused429)
	assert.Equal(t, int64(1), r.All.Refused503)
	assert.Equal(t, int64(3), r.All.Failed)
	assert.Equal(t, int64(2), r.RetryAfter.Count)
	assert.InDelta(t, 1000, r.RetryAfter.Max, 1)
	assert.Equal(t, map[int]int64{400: 1, 500: 1}, r.Statuses)
	assert.Equal(t, int64(36), r.All.ItemsUnknown, "500, 503 and no answer leave it open")
	assert.Equal(t, r.All.BatchesAccepted, r.All.ItemsRejected)
	assert.Equal(t, r.All.BatchesAccepted, r.Latency.Count, "refusals have no latency")
	assert.Contains(t, r.Samples[0], `answered 500: "broken"`)
	assert.Greater(t, r.All.BatchesAccepted, int64(0))
}

func TestOTLPHasTwoEndpointsAndPartialSuccess(t *testing.T) {
	var traces, logs atomic.Int64
	partial := ptraceotlp.NewExportResponse()
	partial.PartialSuccess().SetRejectedSpans(300)
	answer, err := partial.MarshalProto()
	require.NoError(t, err)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		assert.Equal(t, "application/x-protobuf", r.Header.Get("Content-Type"))
		if r.URL.Path == "/v1/traces" {
			traces.Add(1)
			w.Write(answer)
			return
		}
		logs.Add(1)
	}))
	defer endpoint.Close()
	_, r := send(t, Spec{
		Workload: workload.Options{Seed: 1, Format: workload.OTLP, Mix: workload.Mix{Requests: 1, Spans: 4, Events: 1}, Batch: 500},
		URL:      endpoint.URL, Connections: 4, Rate: 60_000, Duration: 1,
	})
	assert.Equal(t, traces.Load()*300, r.All.ItemsRejected)
	assert.Equal(t, logs.Load()*500, r.All.Events)
	assert.InDelta(t, 5, float64(traces.Load())/float64(logs.Load()), 1)
}

func TestBurstsOfferTheSameInLessTime(t *testing.T) {
	start := time.Unix(0, 0)
	s := Spec{Workload: workload.Options{Batch: 10}, Rate: 100, BurstEvery: 2, BurstLength: 0.5, Duration: 4}
	d := newSchedule(&s, start)
	assert.Equal(t, int64(40), d.total)
	assert.Equal(t, start.Add(25*time.Millisecond), d.due(1))
	assert.Equal(t, start.Add(475*time.Millisecond), d.due(19))
	assert.Equal(t, start.Add(2*time.Second), d.due(20))
}

func TestARunEndsAfterSoManyBodies(t *testing.T) {
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"accepted":12,"rejected":0}`)
	}))
	defer endpoint.Close()
	_, r := send(t, Spec{Workload: ndjson(12), URL: endpoint.URL, Connections: 3, Duration: 600, MaxBatches: 7, FirstBatch: 5})
	assert.Equal(t, int64(7), r.All.BatchesAccepted)
}

func TestSpecIsChecked(t *testing.T) {
	for want, s := range map[string]Spec{
		`url: want http://host:port, got "x"`:                 {URL: "x"},
		"connections: want 1 to 10000, got 0":                 {URL: "http://h"},
		"burst_every: only an open loop has bursts, set rate": {URL: "http://h", Connections: 1, Duration: 1, BurstEvery: 1},
	} {
		assert.EqualError(t, s.Validate(), want)
	}
}

func TestPartialSuccess(t *testing.T) {
	for _, body := range [][]byte{nil, {0x0a, 0}, {0x0a, 3, 0x12, 1, 'x'}} {
		n, err := partialSuccess(body)
		require.NoError(t, err)
		assert.Zero(t, n)
	}
	for _, body := range [][]byte{{0x0a}, {0x0a, 5, 1}, {1, 2, 3}, {0x0a, 1, 0x08}} {
		_, err := partialSuccess(body)
		assert.Error(t, err)
	}
}
