package clickhousehttp

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// TestConversations plays every file of testdata against an engine.
func TestConversations(t *testing.T) {
	engine := harness.StartEngine(t)
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			exchanges, err := parse(string(text))
			require.NoError(t, err, file)
			require.NotEmpty(t, exchanges)
			for _, e := range exchanges {
				t.Run(fmt.Sprintf("line %d", e.line), func(t *testing.T) { e.play(t, engine.ClickHouse) })
			}
		})
	}
}

// client does not decode anything by itself.
var client = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// play sends the request and compares the answer.
func (e *exchange) play(t *testing.T, server harness.ClickHouse) {
	t.Helper()
	body, err := encode(e.encode, []byte(e.body))
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), e.method, server.URL()+e.url(), bytes.NewReader(body))
	require.NoError(t, err)
	if !e.anonymous {
		req.Header.Set("X-ClickHouse-User", server.User)
		req.Header.Set("X-ClickHouse-Key", server.Password)
	}
	for _, h := range e.headers {
		req.Header.Set(h[0], expand(h[1], server))
	}
	if q := req.URL.Query(); q.Has("password") {
		q.Set("password", expand(q.Get("password"), server))
		req.URL.RawQuery = q.Encode()
	}
	// "Authorization: Basic user:password" is written in clear in a conversation.
	if pair, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Basic "); ok {
		user, password, _ := strings.Cut(pair, ":")
		req.SetBasicAuth(user, password)
	}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if e.tail == nil { // a server may also break the connection after an exception
		require.NoError(t, err)
	}

	assert.Equalf(t, e.status, res.StatusCode, "status of %s %s, body %.1000s", e.method, e.url(), raw)
	for _, h := range e.wantHeaders {
		values := res.Header.Values(h.name)
		if h.pattern == nil {
			assert.Emptyf(t, values, "header %s must be absent", h.name)
			continue
		}
		assert.Regexpf(t, h.pattern, strings.Join(values, "\n"), "header %s, all: %v", h.name, res.Header)
	}
	got, err := decode(e.decode, raw)
	require.NoErrorf(t, err, "decoding %q", clip(raw))
	e.compareBody(t, string(got))
}

func (e *exchange) compareBody(t *testing.T, got string) {
	t.Helper()
	switch {
	case e.anyBody:
		return
	case e.tail != nil:
		end := got[max(0, len(got)-4096):]
		assert.Truef(t, e.tail.MatchString(end), "end of the body %q does not match %s", end[max(0, len(end)-1000):], e.tail)
		return
	}
	var lines []string
	if got != "" {
		lines = strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	}
	if !assert.Lenf(t, lines, len(e.wantBody), "lines of the body %q", clip([]byte(got))) {
		return
	}
	for i, want := range e.wantBody {
		if want.pattern == nil {
			assert.Equalf(t, want.text, lines[i], "line %d of the body", i+1)
			continue
		}
		assert.Regexpf(t, want.pattern, lines[i], "line %d of the body", i+1)
	}
}

// expand puts the engine's password where a conversation says $PASSWORD.
func expand(s string, server harness.ClickHouse) string {
	return strings.ReplaceAll(s, "$PASSWORD", server.Password)
}

func clip(b []byte) string {
	if len(b) > 1000 {
		return string(b[:1000]) + "…"
	}
	return string(b)
}

func encode(method string, body []byte) ([]byte, error) {
	var out bytes.Buffer
	switch method {
	case "":
		return body, nil
	case "gzip":
		w := gzip.NewWriter(&out)
		if _, err := w.Write(body); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		return out.Bytes(), nil
	case "zstd":
		w, err := zstd.NewWriter(nil)
		if err != nil {
			return nil, err
		}
		return w.EncodeAll(body, nil), nil
	case "lz4-block", "zstd-block":
		m := compress.LZ4
		if method == "zstd-block" {
			m = compress.ZSTD
		}
		w := compress.NewWriter(compress.LevelZero, m)
		if err := w.Compress(body); err != nil {
			return nil, err
		}
		return w.Data, nil
	}
	return nil, fmt.Errorf("unknown encoding %q", method)
}

func decode(method string, body []byte) ([]byte, error) {
	switch method {
	case "":
		return body, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case "zstd":
		r, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return r.DecodeAll(body, nil)
	case "block":
		out, err := io.ReadAll(compress.NewReader(bytes.NewReader(body)))
		if errors.Is(err, io.EOF) { // the reader wraps the end of its input
			err = nil
		}
		return out, err
	}
	return nil, fmt.Errorf("unknown encoding %q", method)
}
