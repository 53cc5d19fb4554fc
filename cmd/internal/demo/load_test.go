package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPreparedBodies(t *testing.T) {
	story := NewStory(noon, 0)
	bodies, err := prepare(NewGenerator(1, story), noon, 3, 60, workload.Mix{Requests: 1, Spans: 4, Events: 1})
	require.NoError(t, err)
	again, err := prepare(NewGenerator(1, story), noon, 3, 60, workload.Mix{Requests: 1, Spans: 4, Events: 1})
	require.NoError(t, err)
	require.Len(t, bodies, 3)
	for i, b := range bodies {
		assert.Equal(t, string(again[i].content), string(b.content), "a seed decides the bodies")
		kinds := map[string]int{}
		for line := range bytes.Lines(b.content) {
			kinds[decode(t, line).Type]++
		}
		assert.Equal(t, map[string]int{"request": 10, "span": 40, "event": 10}, kinds)
	}
}

func TestStampMakesNewRecords(t *testing.T) {
	bodies, err := prepare(NewGenerator(1, NewStory(noon, 0)), noon, 1, 50, workload.Mix{Requests: 1, Spans: 1, Events: 0})
	require.NoError(t, err)
	b := bodies[0]
	ids := map[string]bool{}
	size := len(b.content)
	for round := range 20 {
		now := noon.Add(time.Duration(round)*time.Second + 123456*time.Microsecond)
		b.stamp(now, time.Millisecond)
		require.Len(t, b.content, size)
		n := 0
		for line := range bytes.Lines(b.content) {
			item := decode(t, line)
			want := now.Add(-time.Duration(49-n) * time.Millisecond)
			require.Equal(t, want.Format(timeLayout), item.Time.UTC().Format(timeLayout))
			require.Len(t, item.SpanID, 16)
			require.False(t, ids[item.SpanID], "span id %s came twice", item.SpanID)
			ids[item.SpanID] = true
			n++
		}
		require.Equal(t, 50, n)
	}
}

// decode reads what the tests need of a line.
func decode(t *testing.T, line []byte) (item struct {
	Type   string    `json:"type"`
	Time   time.Time `json:"ts"`
	SpanID string    `json:"span_id"`
}) {
	t.Helper()
	require.NoError(t, json.Unmarshal(line, &item), "%s", line)
	return item
}

// endpoint answers as the NDJSON receiver does; refuse says which requests,
// counted from one, it refuses.
func endpoint(t *testing.T, refuse func(n int64) bool) (url string, items *atomic.Int64) {
	t.Helper()
	var requests atomic.Int64
	items = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/ingest" {
			http.Error(w, "unexpected", http.StatusBadRequest)
			return
		}
		if refuse(requests.Add(1)) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		n := bytes.Count(body, []byte("\n"))
		items.Add(int64(n))
		fmt.Fprintf(w, `{"accepted":%d,"rejected":0}`, n)
	}))
	t.Cleanup(server.Close)
	return server.URL, items
}

func TestLoadCountsRefusalsApart(t *testing.T) {
	for name, target := range map[string]float64{"closed": 0, "open": 4000} {
		t.Run(name, func(t *testing.T) {
			url, items := endpoint(t, func(n int64) bool { return n%4 == 0 })
			report, err := Load(t.Context(), LoadOptions{
				URL: url, Seed: 1, Concurrency: 4, BatchSize: 50, Duration: 300 * time.Millisecond, TargetEPS: target,
				Mix: workload.Mix{Requests: 1}, Log: io.Discard,
			})
			require.NoError(t, err)
			assert.Equal(t, name, report.Loop)
			assert.Equal(t, items.Load(), report.ItemsAccepted, "what the endpoint took is what is reported")
			assert.Positive(t, report.BatchesRefused)
			assert.Zero(t, report.BatchesFailed)
			assert.Equal(t, 50*report.BatchesAccepted, report.ItemsAccepted)
			assert.Equal(t, 50*(report.BatchesAccepted+report.BatchesRefused), report.ItemsSent)
			assert.Positive(t, report.Latency.P50)
			assert.LessOrEqual(t, report.Latency.P50, report.Latency.Max)
			var text strings.Builder
			require.NoError(t, report.WriteText(&text))
			assert.Contains(t, text.String(), "refused (429)")
		})
	}
}

func TestLoadReportsFailures(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	report, err := Load(t.Context(), LoadOptions{
		URL: server.URL, Concurrency: 1, BatchSize: 1, Duration: 20 * time.Millisecond, Mix: workload.Mix{Requests: 1}, Log: io.Discard,
	})
	require.NoError(t, err)
	assert.Positive(t, report.BatchesFailed)
	assert.Zero(t, report.BatchesAccepted)
	assert.Contains(t, report.ErrorSamples[0], "404")
	assert.Equal(t, report.BatchesFailed, report.BatchesAnswered)
}

func TestLoadOptionsAreChecked(t *testing.T) {
	good := LoadOptions{Concurrency: 1, BatchSize: 1, Duration: 1}
	require.NoError(t, good.Validate())
	for flag, o := range map[string]LoadOptions{
		"--concurrency": {BatchSize: 1, Duration: 1},
		"--batch-size":  {Concurrency: 1, Duration: 1},
		"--seconds":     {Concurrency: 1, BatchSize: 1},
		"--target-eps":  {Concurrency: 1, BatchSize: 1, Duration: 1, TargetEPS: -1},
	} {
		assert.ErrorContains(t, o.Validate(), flag)
	}
}

func TestLiveOptionsAreChecked(t *testing.T) {
	good := LiveOptions{Rate: 20, BackfillRate: 5}
	require.NoError(t, good.Validate())
	require.NoError(t, LiveOptions{Rate: 20, BackfillRate: 5, BackfillHours: 720}.Validate())
	for want, o := range map[string]LiveOptions{
		"--rate: want more than 0 and at most 100000, got 0":          {BackfillRate: 5},
		"--rate: want more than 0 and at most 100000, got 1e+12":      {Rate: 1e12, BackfillRate: 5},
		"--rate: want more than 0 and at most 100000, got NaN":        {Rate: math.NaN(), BackfillRate: 5},
		"--backfill-hours: want 0 to 720, got -1":                     {Rate: 1, BackfillHours: -1, BackfillRate: 5},
		"--backfill-hours: want 0 to 720, got -0.5":                   {Rate: 1, BackfillHours: -0.5, BackfillRate: 5},
		"--backfill-hours: want 0 to 720, got 100000":                 {Rate: 1, BackfillHours: 100000, BackfillRate: 5},
		"--backfill-rate: want more than 0 and at most 100000, got 0": {Rate: 1},
	} {
		assert.EqualError(t, o.Validate(), want)
	}
}

func TestURLsAreChecked(t *testing.T) {
	for _, good := range []string{"http://127.0.0.1:4319", "https://ingest.example/v1/ingest"} {
		require.NoError(t, CheckURL(good))
	}
	for _, bad := range []string{"", "notaurl", "ftp://x", "http://", "127.0.0.1:4319", "http://a b"} {
		assert.ErrorContains(t, CheckURL(bad), "want an address such as http://127.0.0.1:4319")
	}
}

func TestRetryAfterIsRead(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"0": 0, "3": 3 * time.Second, "9999": maxRetryAfter, "": defaultRetryAfter, "soon": defaultRetryAfter, "-1": defaultRetryAfter,
	} {
		assert.Equal(t, want, parseRetryAfter(value), value)
	}
}
