package livetailextension

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/extension/livetailextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/configtest"
	"github.com/trackwayhq/trackway/internal/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, change func(*Config)) *liveTail {
	t.Helper()
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = "127.0.0.1:0"
	if change != nil {
		change(cfg)
	}
	ext, err := NewFactory().Create(context.Background(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, ext.Start(context.Background(), componenttest.NewNopHost()))
	t.Cleanup(func() {
		require.NoError(t, ext.Shutdown(context.Background()))
		http.DefaultClient.CloseIdleConnections()
	})
	return ext.(*liveTail)
}

func open(t *testing.T, ext *liveTail, query url.Values, header http.Header) *http.Response {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+ext.listener.Addr().String()+"/v1/tail?"+query.Encode(), nil)
	require.NoError(t, err)
	for k, v := range header {
		req.Header[k] = v
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		_ = resp.Body.Close()
	})
	return resp
}

// event reads the next event of a stream, comments left out.
func event(t *testing.T, r *bufio.Reader) (name, data string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" && name != "":
			return name, data
		case strings.HasPrefix(line, "event: "):
			name = strings.TrimPrefix(line, "event: ")
		case strings.HasPrefix(line, "data: "):
			data = strings.TrimPrefix(line, "data: ")
		}
	}
}

func TestStream(t *testing.T) {
	ext := start(t, func(c *Config) { c.MaxRecordsPerSecond, c.BufferRecords = 1_000_000, 2 })
	resp := open(t, ext, url.Values{"project": {"default"}, "filter": {"status >= 500"}}, nil)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	assert.True(t, ext.Active(), "the headers are sent after the subscription")

	at := time.Date(2026, 11, 30, 12, 0, 0, 5, time.UTC)
	ext.Publish([]record.Record{
		{Kind: record.Request, Project: "default", Time: at, Status: 200},
		{Kind: record.Request, Project: "other", Time: at, Status: 500},
		{Kind: record.Request, Project: "default", Time: at, Status: 503, Path: "/line\nend"},
	})
	r := bufio.NewReader(resp.Body)
	name, data := event(t, r)
	assert.Equal(t, "record", name)
	var got record.JSON
	require.NoError(t, json.Unmarshal([]byte(data), &got))
	assert.Equal(t, uint16(503), got.Status)
	assert.Equal(t, "/line\nend", got.Path)
	assert.Equal(t, "2026-11-30T12:00:00.000000005Z", got.Time)

	many := make([]record.Record, 10)
	for i := range many {
		many[i] = record.Record{Kind: record.Request, Project: "default", Time: at, Status: uint16(500 + i)}
	}
	ext.Publish(many) // faster than the stream may take them: some can be dropped
	seen, missed := 0, 0
	for seen+missed < len(many) {
		switch name, data := event(t, r); name {
		case "record":
			seen++
		case "missed":
			var m struct{ Missed int }
			require.NoError(t, json.Unmarshal([]byte(data), &m))
			missed += m.Missed
		}
	}
	assert.Equal(t, len(many), seen+missed)
}

func TestReaderThatLeavesIsForgotten(t *testing.T) {
	ext := start(t, nil)
	resp := open(t, ext, url.Values{"project": {"default"}}, nil)
	require.True(t, ext.Active())
	require.NoError(t, resp.Body.Close())
	require.Eventually(t, func() bool { return !ext.Active() }, 10*time.Second, 5*time.Millisecond)
}

func TestShutdownEndsStreams(t *testing.T) {
	ext := start(t, nil)
	resp := open(t, ext, url.Values{"project": {"default"}}, nil)
	require.NoError(t, ext.Shutdown(context.Background()))
	_, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
}

func TestRefusals(t *testing.T) {
	ext := start(t, func(c *Config) { c.MaxSubscribers = 1 })
	for _, tt := range []struct {
		name   string
		query  url.Values
		header http.Header
		code   int
		want   string
	}{
		{"bad filter", url.Values{"project": {"default"}, "filter": {"status >"}}, nil, 400, `"position":8`},
		{"no project", url.Values{}, nil, 400, "project: want the id of a project"},
		{"web page", url.Values{"project": {"default"}}, http.Header{"Origin": {"https://evil.test"}}, 403, "not web pages"},
		{"rebound name", url.Values{"project": {"default"}}, http.Header{"Host": {"evil.test"}}, 403, "allowed_hosts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := open(t, ext, tt.query, tt.header)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, tt.code, resp.StatusCode)
			assert.Contains(t, string(body), tt.want)
		})
	}
	t.Run("too many", func(t *testing.T) {
		require.Equal(t, 200, open(t, ext, url.Values{"project": {"default"}}, nil).StatusCode)
		resp := open(t, ext, url.Values{"project": {"default"}}, nil)
		assert.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
		assert.Equal(t, "5", resp.Header.Get("Retry-After"))
	})
}

func TestConfig(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(NewFactory().CreateDefaultConfig()))
	for file, want := range map[string]string{
		"good.yaml":               "",
		"open_to_the_world.yaml":  `http::endpoint: "0.0.0.0:4320" is reachable from other machines`,
		"write_timeout.yaml":      "http::write_timeout: it would cut every stream",
		"zero_subscribers.yaml":   "max_subscribers: want a number above 0, got 0",
		"misspelt_key.yaml":       "max_subscriber",
		"endpoint_not_under.yaml": "endpoint",
	} {
		t.Run(file, func(t *testing.T) {
			_, err := configtest.Load(t, file, "", NewFactory().CreateDefaultConfig())
			if want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, want)
		})
	}
}
