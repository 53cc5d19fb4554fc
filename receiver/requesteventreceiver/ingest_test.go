package requesteventreceiver

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
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
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

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
}

func (s *consumertestSink) take(ctx context.Context, n int) error {
	s.batchID.Store(batchid.FromContext(ctx))
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

func TestPipelinesAnswer(t *testing.T) {
	retryIn := func(code codes.Code, d time.Duration) error {
		st, err := status.New(code, "queue is full").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(d)})
		require.NoError(t, err)
		return st.Err()
	}
	for name, tt := range map[string]struct {
		traces, logs error
		want         int
		retryAfter   string
		text         string
	}{
		"full, with a time":          {traces: retryIn(codes.ResourceExhausted, 2300*time.Millisecond), want: 429, retryAfter: "3", text: "queue is full"},
		"full, in no time":           {traces: retryIn(codes.ResourceExhausted, 0), want: 429, retryAfter: "7", text: "queue is full"},
		"full, without a time":       {traces: status.Error(codes.ResourceExhausted, "full"), want: 429, retryAfter: "7", text: "full"},
		"unavailable":                {traces: status.Error(codes.Unavailable, "later"), want: 503, retryAfter: "7", text: "later"},
		"a plain error":              {traces: errors.New("plain"), want: 503, retryAfter: "7", text: "plain"},
		"a permanent error":          {traces: consumererror.NewPermanent(errors.New("never")), want: 500, text: "never"},
		"a permanent status":         {traces: consumererror.NewPermanent(status.Error(codes.InvalidArgument, "no")), want: 400, text: "no"},
		"no key":                     {traces: status.Error(codes.Unauthenticated, "who"), want: 401, text: "who"},
		"no permission":              {traces: status.Error(codes.PermissionDenied, "not you"), want: 403, text: "not you"},
		"logs alone refused":         {logs: errors.New("plain"), want: 503, retryAfter: "7", text: "plain"},
		"the final refusal is told":  {traces: errors.New("plain"), logs: status.Error(codes.PermissionDenied, "not you"), want: 403, text: "not you"},
		"the final refusal is told ": {logs: errors.New("plain"), traces: status.Error(codes.PermissionDenied, "not you"), want: 403, text: "not you"},
	} {
		t.Run(name, func(t *testing.T) {
			var p pipelines
			p.traces.err, p.logs.err = tt.traces, tt.logs
			url := serve(t, &p, componenttest.NewNopHost(), func(c *Config) { c.RetryAfter = 7 * time.Second })
			r := post(t, url, []byte(goodLine+`{"type":"event","name":"a"}`))
			assert.Equal(t, tt.want, r.status)
			assert.Equal(t, tt.retryAfter, r.retryAfter)
			assert.Contains(t, r.Error, tt.text)
			assert.Zero(t, r.Accepted)
		})
	}
}

func TestAPipelineThatTakesTooLong(t *testing.T) {
	var p pipelines
	p.traces.block = true
	url := serve(t, &p, componenttest.NewNopHost(), func(c *Config) { c.Timeout = time.Millisecond })
	r := post(t, url, []byte(goodLine))
	assert.Equal(t, http.StatusServiceUnavailable, r.status)
	assert.Equal(t, "1", r.retryAfter)
}

func TestBatchIDTravelsInTheContext(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), nil)
	r := post(t, url, []byte(goodLine), "Trackway-Batch-Id", "b-1")
	assert.Equal(t, http.StatusOK, r.status)
	assert.Equal(t, "b-1", p.traces.batchID.Load())
	r = post(t, url, []byte(goodLine), "Trackway-Batch-Id", strings.Repeat("b", 129))
	assert.Equal(t, http.StatusBadRequest, r.status)
}

func TestBrowsersAndForeignHosts(t *testing.T) {
	for name, tt := range map[string]struct {
		configure func(*Config)
		headers   []string
		want      int
	}{
		"this machine by name":      {nil, []string{"Host", "localhost:4319"}, 200},
		"this machine by IPv6":      {nil, []string{"Host", "[::1]:4319"}, 200},
		"a name made to point here": {nil, []string{"Host", "rebound.example:4319"}, 403},
		"an allowed name":           {func(c *Config) { c.AllowedHosts = []string{"collector.local"} }, []string{"Host", "Collector.local"}, 200},
		"a web page":                {nil, []string{"Origin", "https://example.com"}, 403},
		"a web page, with CORS": {func(c *Config) {
			c.HTTP.CORS = configoptional.Some(confighttp.CORSConfig{AllowedOrigins: []string{"https://example.com"}})
		}, []string{"Origin", "https://example.com"}, 200},
		"an open collector": {func(c *Config) { c.AllowUnauthenticated = true }, []string{"Host", "collector.example", "Origin", "https://example.com"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			var p pipelines
			url := serve(t, &p, componenttest.NewNopHost(), tt.configure)
			assert.Equal(t, tt.want, post(t, url, []byte(goodLine), tt.headers...).status)
		})
	}
}

// keys is an authenticator that knows one key.
type keys struct {
	component.StartFunc
	component.ShutdownFunc
}

func (keys) Authenticate(ctx context.Context, sources map[string][]string) (context.Context, error) {
	if h := sources["Authorization"]; len(h) == 1 && h[0] == "Bearer good" {
		return ctx, nil
	}
	return ctx, errors.New("unknown key")
}

type hostWithKeys struct{ component.Host }

var keysID = component.MustNewID("keys")

func (hostWithKeys) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{keysID: keys{}}
}

func TestKeys(t *testing.T) {
	var p pipelines
	url := serve(t, &p, hostWithKeys{componenttest.NewNopHost()}, func(c *Config) {
		c.HTTP.Auth = configoptional.Some(confighttp.AuthConfig{Config: configauth.Config{AuthenticatorID: keysID}})
	})
	r := post(t, url, []byte(goodLine), "Host", "collector.example")
	assert.Equal(t, http.StatusUnauthorized, r.status)
	assert.Equal(t, "Bearer", r.header.Get("WWW-Authenticate"))
	assert.Equal(t, "unknown key", r.Error)
	r = post(t, url, []byte(goodLine), "Authorization", "Bearer good", "Host", "collector.example")
	assert.Equal(t, http.StatusOK, r.status)
}

func TestOtherPathsAndMethods(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), nil)
	resp, err := http.Get(url)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
	assert.Equal(t, "POST", resp.Header.Get("Allow"))
}
