package requesteventreceiver

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/trackwayhq/trackway/internal/batchid"
	"github.com/trackwayhq/trackway/receiver/requesteventreceiver/internal/metadata"
)

const goodLine = `{"type":"request","method":"GET","status":200}` + "\n"

// pipelines are what stands behind the receiver in a test: they take everything,
// or refuse it with an error.
type pipelines struct {
	traces, logs consumertestSink
}

type consumertestSink struct {
	err     error
	items   atomic.Int64
	batchID atomic.Value // of the last call
	block   bool         // until the context ends
	repeats []byte       // the answer of the batch that was taken before
}

func (s *consumertestSink) take(ctx context.Context, n int) error {
	s.batchID.Store(batchid.FromContext(ctx))
	if s.repeats != nil {
		batchid.Of(ctx).Repeats(s.repeats)
	}
	if s.block {
		<-ctx.Done()
		return ctx.Err()
	}
	if s.err == nil {
		s.items.Add(int64(n))
	}
	return s.err
}

// serve starts a receiver and returns its URL.
func serve(t *testing.T, p *pipelines, host component.Host, configure func(*Config)) string {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = "127.0.0.1:0"
	if configure != nil {
		configure(cfg)
	}
	traces, err := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error { return p.traces.take(ctx, td.SpanCount()) })
	require.NoError(t, err)
	logs, err := consumer.NewLogs(func(ctx context.Context, ld plog.Logs) error { return p.logs.take(ctx, ld.LogRecordCount()) })
	require.NoError(t, err)
	f := NewFactory()
	set := receivertest.NewNopSettings(metadata.Type)
	r, err := f.CreateTraces(t.Context(), set, cfg, traces)
	require.NoError(t, err)
	_, err = f.CreateLogs(t.Context(), set, cfg, logs)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context(), host))
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		require.NoError(t, r.Shutdown(context.Background()))
	})
	return "http://" + r.(*shared).listener.Addr().String() + ingestPath
}

type reply struct {
	answer
	status     int
	retryAfter string
	header     http.Header
}

func post(t *testing.T, url string, body []byte, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	r := reply{status: resp.StatusCode, retryAfter: resp.Header.Get("Retry-After"), header: resp.Header}
	require.NoError(t, json.Unmarshal(text, &r.answer), "answer %d: %s", resp.StatusCode, text)
	return r
}

func TestGoodLinesAreKeptWhenOthersAreBad(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), nil)
	body := goodLine + "\r\n" + `{"type":"request","status":"abc","request_id":"r-82"}` + "\r\n" +
		`{"type":"event","name":"a"}` + "\n" + `{"type":"span","name":"b"}`
	r := post(t, url, []byte(body))
	assert.Equal(t, http.StatusOK, r.status)
	assert.Equal(t, 3, r.Accepted)
	assert.Equal(t, 1, r.Rejected)
	assert.Equal(t, []rejected{{Line: 3, Error: `status: want an integer, got "abc"`, RequestID: "r-82"}}, r.Errors)
	assert.Equal(t, int64(2), p.traces.items.Load())
	assert.Equal(t, int64(1), p.logs.items.Load())
}

func TestEncodings(t *testing.T) {
	var zipped, zstded bytes.Buffer
	gz := gzip.NewWriter(&zipped)
	_, err := gz.Write([]byte(goodLine))
	require.NoError(t, err)
	require.NoError(t, gz.Close())
	zs, err := zstd.NewWriter(&zstded)
	require.NoError(t, err)
	_, err = zs.Write([]byte(goodLine))
	require.NoError(t, err)
	require.NoError(t, zs.Close())

	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), nil)
	for name, tt := range map[string]struct {
		body    []byte
		headers []string
		want    int
	}{
		"none":              {[]byte(goodLine), nil, 200},
		"identity":          {[]byte(goodLine), []string{"Content-Encoding", "identity"}, 200},
		"gzip":              {zipped.Bytes(), []string{"Content-Encoding", "gzip"}, 200},
		"zstd":              {zstded.Bytes(), []string{"Content-Encoding", "zstd"}, 200},
		"brotli":            {[]byte(goodLine), []string{"Content-Encoding", "br"}, 415},
		"snappy":            {[]byte(goodLine), []string{"Content-Encoding", "snappy"}, 415},
		"gzip that is none": {[]byte(goodLine), []string{"Content-Encoding", "gzip"}, 400},
		"zstd that is none": {[]byte(goodLine), []string{"Content-Encoding", "zstd"}, 400},
		"gzip cut":          {zipped.Bytes()[:zipped.Len()-4], []string{"Content-Encoding", "gzip"}, 400},
		"ndjson":            {[]byte(goodLine), []string{"Content-Type", "application/x-ndjson; charset=utf-8"}, 200},
		"curl's default":    {[]byte(goodLine), []string{"Content-Type", "application/x-www-form-urlencoded"}, 200},
		"protobuf":          {[]byte(goodLine), []string{"Content-Type", "application/x-protobuf"}, 415},
	} {
		t.Run(name, func(t *testing.T) {
			r := post(t, url, tt.body, tt.headers...)
			assert.Equal(t, tt.want, r.status, r.Error)
			if tt.want != http.StatusOK {
				assert.NotEmpty(t, r.Error)
			}
		})
	}
	assert.Equal(t, int64(6), p.traces.items.Load(), "a body that was refused was delivered")
}

// A frame may ask for a window of many megabytes before its first byte.
func TestZstdWindowIsBounded(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), nil)
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false))
	require.NoError(t, err)
	for range 3 << 20 / len(line700) {
		_, err = w.Write([]byte(line700 + "\n"))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	r := post(t, url, b.Bytes(), "Content-Encoding", "zstd")
	assert.Equal(t, http.StatusBadRequest, r.status)
	assert.Contains(t, r.Error, "window size exceeded")
}

func TestLimits(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), func(c *Config) {
		c.MaxRequestBytes = 4096
		c.MaxItems = 150
		c.MaxLineBytes = 100
		c.MaxErrors = 2
	})
	var bomb bytes.Buffer
	gz := gzip.NewWriter(&bomb)
	_, err := gz.Write(bytes.Repeat([]byte("\n"), 1<<20))
	require.NoError(t, err)
	require.NoError(t, gz.Close())

	r := post(t, url, []byte(strings.Repeat(goodLine, 100)))
	assert.Equal(t, http.StatusRequestEntityTooLarge, r.status)
	assert.Equal(t, "max_request_bytes", r.Limit)
	assert.Equal(t, int64(4096), r.Max)
	assert.Equal(t, "the body has more than 4096 bytes (max_request_bytes)", r.Error)

	r = post(t, url, bomb.Bytes(), "Content-Encoding", "gzip")
	assert.Equal(t, http.StatusRequestEntityTooLarge, r.status)
	assert.Equal(t, "max_request_bytes", r.Limit)

	r = post(t, url, []byte(strings.Repeat("{}\n", 151)))
	assert.Equal(t, http.StatusRequestEntityTooLarge, r.status)
	assert.Equal(t, "max_items", r.Limit)

	r = post(t, url, []byte(goodLine+`{"type":"request","path":"`+strings.Repeat("x", 100)+"\"}\n{}\n{}\n"+goodLine))
	assert.Equal(t, http.StatusOK, r.status)
	assert.Equal(t, 2, r.Accepted)
	assert.Equal(t, 3, r.Rejected)
	assert.Equal(t, 1, r.Omitted)
	assert.Equal(t, []rejected{
		{Line: 2, Error: "line: longer than 100 bytes (max_line_bytes)"},
		{Line: 3, Error: "type: want request, span or event, got nothing"},
	}, r.Errors)
	assert.Equal(t, int64(2), p.traces.items.Load())
}

func TestNothingUsable(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), nil)
	r := post(t, url, []byte("{}\n"))
	assert.Equal(t, http.StatusBadRequest, r.status)
	assert.Equal(t, 1, r.Rejected)
	r = post(t, url, []byte("\n\n"))
	assert.Equal(t, http.StatusBadRequest, r.status)
	assert.Equal(t, "no items in the body: want one JSON object a line", r.Error)
	r = post(t, url, []byte("\ufeff"+goodLine))
	assert.Equal(t, http.StatusOK, r.status, "a byte order mark")
}

// Bodies in hand are bounded together: what comes beyond it is told to wait, until
// one of them is done.
func TestBodiesInHandAreBounded(t *testing.T) {
	var p pipelines
	p.traces.block = true
	url := serve(t, &p, componenttest.NewNopHost(), func(c *Config) {
		c.MaxRequestBytes = 1 << 20
		c.MaxInflightBytes = 1 << 20
		c.Timeout = time.Second
	})
	body := []byte(strings.Repeat(goodLine, 600_000/len(goodLine)))
	first := make(chan int, 1)
	go func() {
		defer close(first)
		resp, err := http.Post(url, "", bytes.NewReader(body))
		if err == nil {
			_ = resp.Body.Close()
			first <- resp.StatusCode
		}
	}()
	require.Eventually(t, func() bool { return p.traces.batchID.Load() != nil }, 10*time.Second, time.Millisecond)
	refused := post(t, url, body)
	assert.Equal(t, http.StatusTooManyRequests, refused.status)
	assert.Equal(t, "1", refused.retryAfter)
	assert.Equal(t, "max_inflight_bytes", refused.Limit)
	assert.Equal(t, http.StatusServiceUnavailable, <-first, "it came as far as the pipeline")
	assert.Equal(t, http.StatusServiceUnavailable, post(t, url, body).status, "and so does the next")
}

// What a body takes decoded is bounded too, which its length does not.
func TestDecodedBodiesAreBounded(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), func(c *Config) { c.MaxDecodedBytes = 1 << 20 })
	numbers := `{"type":"span","name":"n","attributes":{"a":[` + strings.Repeat("1,", 1000) + "1]}}\n"
	r := post(t, url, []byte(strings.Repeat(numbers, 20)))
	assert.Equal(t, http.StatusOK, r.status)
	r = post(t, url, []byte(strings.Repeat(numbers, 22)))
	assert.Equal(t, http.StatusRequestEntityTooLarge, r.status)
	assert.Equal(t, "max_decoded_bytes", r.Limit)
	assert.Contains(t, r.Error, "more than 1048576 bytes once it is decoded (max_decoded_bytes)")
}

// An answer is written even when the request took longer than the server's
// write_timeout, since what it says has happened.
func TestLateAnswerArrives(t *testing.T) {
	var p pipelines
	p.traces.block = true
	url := serve(t, &p, componenttest.NewNopHost(), func(c *Config) {
		c.HTTP.WriteTimeout = 500 * time.Millisecond
		c.Timeout = time.Second // Validate would refuse it; the machine may make it so
	})
	r := post(t, url, []byte(goodLine))
	assert.Equal(t, http.StatusServiceUnavailable, r.status)
	assert.Contains(t, r.Error, "not stored within 1s")
}

// A batch that was taken before gets the answer it got then.
func TestRepeatedBatchGetsItsFirstAnswer(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), nil)
	body := []byte(goodLine + "{}\n")
	r := post(t, url, body, batchid.Header, "b-1")
	assert.Equal(t, http.StatusOK, r.status)
	assert.Equal(t, "b-1", p.traces.batchID.Load())
	assert.Equal(t, 1, r.Accepted)

	p.traces.repeats = []byte(`{"accepted":7,"rejected":0}`)
	r = post(t, url, body, batchid.Header, "b-1")
	assert.Equal(t, http.StatusOK, r.status)
	assert.Equal(t, 7, r.Accepted)
	assert.Zero(t, r.Rejected)
	assert.Empty(t, r.Errors)

	r = post(t, url, body, batchid.Header, strings.Repeat("b", batchid.MaxLen+1))
	assert.Equal(t, http.StatusBadRequest, r.status)
	assert.Equal(t, "Trackway-Batch-Id: want at most 128 bytes, got 129", r.Error)
}

// What is remembered of an answer fits, with as many errors as do.
func TestShortenedAnswer(t *testing.T) {
	a := answer{Accepted: 1, Rejected: 100}
	for i := range 100 {
		a.Errors = append(a.Errors, rejected{Line: i, Error: strings.Repeat("x", 200)})
	}
	text := a.shortened(batchid.MaxAnswer)
	require.LessOrEqual(t, len(text), batchid.MaxAnswer)
	var back answer
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, 100, back.Rejected)
	assert.Equal(t, 100, len(back.Errors)+back.Omitted)
	assert.NotEmpty(t, back.Errors)
}
