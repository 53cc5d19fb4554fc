package admissionextension

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configmiddleware"
	"go.opentelemetry.io/collector/config/configoptional"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/conventions"
)

var (
	admissionID = component.MustNewID("admission")
	authID      = component.MustNewID("auth")
)

// authenticator takes the project from a header and gives it limits.
type authenticator struct {
	component.StartFunc
	component.ShutdownFunc
	limits admission.Limits
}

func (a *authenticator) Authenticate(ctx context.Context, sources map[string][]string) (context.Context, error) {
	values := append(sources["Project"], sources["project"]...)
	if len(values) == 0 {
		return ctx, admission.Unauthenticated("no_key", "no project")
	}
	info := client.FromContext(ctx)
	info.Auth = authData{conventions.Project: values[0], admission.LimitsAttribute: &a.limits}
	if values[0] == "archived" {
		info.Auth = authData{conventions.Project: admission.Forbidden("archived_project", "project archived")}
	}
	return client.NewContext(ctx, info), nil
}

// reader is a handler like the upstream OTLP receiver's: it reads the whole body
// and calls any failure a bad request.
func reader(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprint(w, len(data))
}

// serveHTTP runs a server of the collector with the extension as a middleware.
func serveHTTP(t *testing.T, cfg *Config, auth *authenticator, handler http.HandlerFunc, change ...func(*confighttp.ServerConfig)) (string, *admissionExtension) {
	t.Helper()
	a := start(t, cfg, nil)
	server := confighttp.NewDefaultServerConfig()
	server.NetAddr.Endpoint = "127.0.0.1:0"
	server.CompressionAlgorithms = []string{}
	server.Middlewares = []configmiddleware.Config{{ID: admissionID}}
	extensions := host{admissionID: a}
	if auth != nil {
		extensions[authID] = auth
		server.Auth = configoptional.Some(confighttp.AuthConfig{Config: configauth.Config{AuthenticatorID: authID}})
	}
	for _, f := range change {
		f(&server)
	}
	s, err := server.ToServer(t.Context(), extensions, componenttest.NewNopTelemetrySettings(), handler)
	require.NoError(t, err)
	l, err := server.ToListener(t.Context())
	require.NoError(t, err)
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close(); <-done; http.DefaultClient.CloseIdleConnections() })
	return l.Addr().String(), a
}

// post sends a body and gives the answer.
func post(t testing.TB, addr string, body io.Reader, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/v1/traces", body)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(text)
}

// compressors make bodies in every encoding.
var compressors = map[string]func([]byte) []byte{
	"identity": func(b []byte) []byte { return b },
	"gzip": func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
		return out.Bytes()
	},
	"deflate": func(b []byte) []byte {
		var out bytes.Buffer
		w := zlib.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
		return out.Bytes()
	},
	"zstd": func(b []byte) []byte { // of known size, one window
		w, _ := zstd.NewWriter(nil)
		return w.EncodeAll(b, nil)
	},
	"zstd/stream": func(b []byte) []byte {
		var out bytes.Buffer
		w, _ := zstd.NewWriter(&out, zstd.WithWindowSize(1<<20))
		_, _ = io.Copy(w, bytes.NewReader(b))
		_ = w.Close()
		return out.Bytes()
	},
	"snappy": func(b []byte) []byte { return snappy.Encode(nil, b) },
	"snappy/framed": func(b []byte) []byte {
		var out bytes.Buffer
		w := snappy.NewBufferedWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
		if out.Len() == 0 {
			return []byte(snappyFrame) // which the writer leaves out of nothing
		}
		return out.Bytes()
	},
}

func TestEncodings(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.MaxRequestBytes = 3 << 20
	addr, a := serveHTTP(t, cfg, nil, reader)
	whole := bytes.Repeat([]byte("0123456789abcdef"), int(cfg.MaxRequestBytes)/16)
	for name, compress := range compressors {
		encoding, _, _ := strings.Cut(name, "/")
		for size, want := range map[int]int{0: 200, 100: 200, len(whole): 200, len(whole) + 1: 413, 40 << 20: 413} {
			t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) {
				data := append([]byte(nil), whole[:min(size, len(whole))]...)
				data = append(data, make([]byte, max(0, size-len(whole)))...)
				res, text := post(t, addr, bytes.NewReader(compress(data)), "Content-Encoding", encoding)
				require.Equal(t, want, res.StatusCode, text)
				if want == 200 {
					assert.Equal(t, fmt.Sprint(size), text)
					return
				}
				var answer refusalJSON
				require.NoError(t, json.Unmarshal([]byte(text), &answer), text)
				assert.Equal(t, "max_request_bytes", answer.Limit)
				assert.Equal(t, cfg.MaxRequestBytes, answer.Max)
				assert.Contains(t, answer.Error, "3145728 bytes (max_request_bytes)")
			})
		}
	}
	assert.Zero(t, a.budget.inUse(), "all of the budget was given back")
	for name, tt := range map[string]struct {
		encoding, body string
		want           int
	}{
		"an unknown encoding":       {"br", "x", 415},
		"encodings within another":  {"gzip, gzip", "x", 415},
		"no gzip":                   {"gzip", "hello", 400},
		"no zlib":                   {"deflate", "hello", 400},
		"no zstd":                   {"zstd", "hello hello hello", 400},
		"no snappy":                 {"snappy", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 400},
		"a snappy block cut":        {"snappy", "\x64\x00", 400},
		"a zstd window of 1 TB":     {"zstd", "\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00", 400},
		"a zstd frame of 1 PB":      {"zstd", "\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x00\x04\x00\x01\x00\x00", 413},
		"a snappy block of 4 GB":    {"snappy", "\xff\xff\xff\xff\x0f", 413},
		"an empty body called zstd": {"zstd", "", 400},
	} {
		t.Run(name, func(t *testing.T) {
			res, text := post(t, addr, strings.NewReader(tt.body), "Content-Encoding", tt.encoding)
			assert.Equal(t, tt.want, res.StatusCode, text)
		})
	}
	assert.Zero(t, a.budget.inUse(), "all of the budget was given back")
}

// Handlers close bodies, and so does the server: a decoder that went back to its
// pool twice would be two requests' at once.
func TestClosedTwice(t *testing.T) {
	closed := 0
	i := &inflater{Reader: strings.NewReader("hello"), closers: []io.Closer{closeFunc(func() { closed++ })}}
	require.NoError(t, i.Close())
	require.NoError(t, i.Close())
	assert.Equal(t, 1, closed)
	_, err := i.Read(make([]byte, 1))
	require.ErrorIs(t, err, http.ErrBodyReadAfterClose)

	addr, _ := serveHTTP(t, createDefaultConfig().(*Config), nil, func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = w.Write(text)
	})
	done := make(chan bool)
	for i := range 16 {
		go func() {
			same := true
			for n := range 50 {
				want := strings.Repeat(fmt.Sprintf("request %d of %d ", n, i), 1000)
				encoding := []string{"gzip", "zstd", "deflate", "snappy"}[n%4]
				_, got := post(t, addr, bytes.NewReader(compressors[encoding]([]byte(want))), "Content-Encoding", encoding)
				same = same && got == want
			}
			done <- same
		}()
	}
	for range 16 {
		assert.True(t, <-done, "a body came back as another's")
	}
}

// A small first frame must not open the door to a large window in the next.
func TestSecondFrameOfZstd(t *testing.T) {
	addr, _ := serveHTTP(t, createDefaultConfig().(*Config), nil, reader)
	small := compressors["zstd"]([]byte("hello"))
	var large bytes.Buffer
	w, err := zstd.NewWriter(&large, zstd.WithWindowSize(8<<20))
	require.NoError(t, err)
	for range 10 {
		_, err = w.Write(make([]byte, 1<<20))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	res, _ := post(t, addr, bytes.NewReader(append(small, small...)), "Content-Encoding", "zstd")
	assert.Equal(t, 200, res.StatusCode)
	res, text := post(t, addr, bytes.NewReader(append(small, large.Bytes()...)), "Content-Encoding", "zstd")
	assert.Equal(t, 400, res.StatusCode, text)
}

// Where the server inflates itself, its limit is told as a 413 too.
func TestServerThatInflatesItself(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	addr, _ := serveHTTP(t, cfg, nil, reader, func(s *confighttp.ServerConfig) {
		s.CompressionAlgorithms = nil
		s.MaxRequestBodySize = 1000
	})
	res, text := post(t, addr, bytes.NewReader(compressors["gzip"](make([]byte, 1001))), "Content-Encoding", "gzip")
	assert.Equal(t, 413, res.StatusCode)
	assert.Contains(t, text, "1000 bytes (max_request_body_size)")
	res, _ = post(t, addr, bytes.NewReader(compressors["gzip"](make([]byte, 1000))), "Content-Encoding", "gzip")
	assert.Equal(t, 200, res.StatusCode)
}

func TestProtobufSendersGetStatus(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.MaxRequestBytes = 10
	addr, _ := serveHTTP(t, cfg, nil, reader)
	res, text := post(t, addr, strings.NewReader("0123456789a"), "Content-Type", "application/x-protobuf")
	require.Equal(t, 413, res.StatusCode)
	assert.Equal(t, "application/x-protobuf", res.Header.Get("Content-Type"))
	var s spb.Status
	require.NoError(t, proto.Unmarshal([]byte(text), &s))
	assert.Contains(t, s.GetMessage(), "10 bytes (max_request_bytes)")
}

func TestRequestsInProgressAreBounded(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.MaxRequestBytes, cfg.MaxMessageBytes, cfg.MaxDecodedBytes, cfg.MaxInProgressBytes = 1<<20, 1<<10, 1<<10, 1<<20+1<<19
	entered, leave := make(chan struct{}), make(chan struct{})
	addr, a := serveHTTP(t, cfg, nil, func(w http.ResponseWriter, r *http.Request) {
		reader(w, r)
		if r.Header.Get("Hold") != "" {
			entered <- struct{}{}
			<-leave
		}
	})
	held := make(chan struct{})
	go func() {
		defer close(held)
		res, _ := post(t, addr, bytes.NewReader(make([]byte, 1<<20)), "Hold", "yes")
		assert.Equal(t, 200, res.StatusCode)
	}()
	<-entered
	assert.EqualValues(t, 1<<20, a.budget.inUse())
	for name, body := range map[string]io.Reader{
		"of known length":   bytes.NewReader(make([]byte, 1<<20)),
		"of unknown length": io.MultiReader(bytes.NewReader(make([]byte, 1<<20))),
	} {
		res, text := post(t, addr, body)
		assert.Equal(t, 429, res.StatusCode, name)
		assert.Equal(t, "1", res.Header.Get("Retry-After"), name)
		assert.Contains(t, text, "max_in_progress_bytes", name)
	}
	res, _ := post(t, addr, bytes.NewReader(make([]byte, 1<<18)))
	assert.Equal(t, 200, res.StatusCode, "what fits is let in")
	close(leave)
	<-held
	require.Eventually(t, func() bool { return a.budget.inUse() == 0 }, 10*time.Second, time.Millisecond)
}

func TestSlowBodies(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.ReceiveTimeout = 100 * time.Millisecond
	addr, a := serveHTTP(t, cfg, nil, reader)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nsome")
	require.NoError(t, err)
	answer, err := io.ReadAll(conn) // until the server closes it
	require.NoError(t, err)
	assert.Contains(t, string(answer), "408 Request Timeout")
	assert.Contains(t, string(answer), "100ms (receive_timeout)")
	assert.Zero(t, a.budget.inUse())
}

// The timeout is for the body: what the pipelines need comes on top.
func TestSlowPipelines(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.ReceiveTimeout = 50 * time.Millisecond
	addr, _ := serveHTTP(t, cfg, nil, func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		select {
		case <-r.Context().Done():
			err = r.Context().Err()
		case <-time.After(300 * time.Millisecond):
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, len(data))
	})
	for _, encoding := range []string{"identity", "gzip", "zstd"} {
		res, text := post(t, addr, bytes.NewReader(compressors[encoding]([]byte("hello"))), "Content-Encoding", encoding)
		assert.Equal(t, 200, res.StatusCode, text)
	}
}

func TestProjectsOverHTTP(t *testing.T) {
	auth := &authenticator{limits: admission.Limits{BytesPerDay: 1000, ItemsPerDay: 10}}
	status := http.StatusOK
	addr, a := serveHTTP(t, createDefaultConfig().(*Config), auth, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		admission.ChargeItems(r.Context(), 3)
		w.WriteHeader(status)
	})
	res, _ := post(t, addr, strings.NewReader("x"))
	require.Equal(t, 401, res.StatusCode)
	res, text := post(t, addr, strings.NewReader("x"), "Project", "archived")
	require.Equal(t, 403, res.StatusCode)
	require.Contains(t, text, "project archived")

	sent := func(id string) amount {
		_, today := a.projects.get(id).usage()
		return today
	}
	status = http.StatusServiceUnavailable
	res, _ = post(t, addr, strings.NewReader(strings.Repeat("x", 600)), "Project", "shop")
	require.Equal(t, 503, res.StatusCode)
	require.Equal(t, amount{}, sent("shop"), "what was not accepted does not count")

	status = http.StatusOK
	for range 2 {
		res, _ = post(t, addr, bytes.NewReader(compressors["gzip"](make([]byte, 600))), "Project", "shop", "Content-Encoding", "gzip")
		require.Equal(t, 200, res.StatusCode)
	}
	require.Equal(t, amount{Items: 6, Bytes: 1200}, sent("shop"), "inflated bytes count")
	res, text = post(t, addr, strings.NewReader("x"), "Project", "shop")
	require.Equal(t, 429, res.StatusCode)
	require.Contains(t, text, "project shop is over its limit of 1000 (bytes_per_day)")
	require.Regexp(t, `^[0-9]+$`, res.Header.Get("Retry-After"))
	res, _ = post(t, addr, strings.NewReader("x"), "Project", "blog")
	require.Equal(t, 200, res.StatusCode, "others are not affected")
}
