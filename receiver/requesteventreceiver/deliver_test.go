package requesteventreceiver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/trackwayhq/trackway/receiver/requesteventreceiver/internal/metadata"
)

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
		"full, with a time":                    {traces: retryIn(codes.ResourceExhausted, 2300*time.Millisecond), want: 429, retryAfter: "3", text: "queue is full"},
		"full, in no time":                     {traces: retryIn(codes.ResourceExhausted, 0), want: 429, retryAfter: "7", text: "queue is full"},
		"full, without a time":                 {traces: status.Error(codes.ResourceExhausted, "full"), want: 429, retryAfter: "7", text: "full"},
		"unavailable":                          {traces: status.Error(codes.Unavailable, "later"), want: 503, retryAfter: "7", text: "later"},
		"a plain error":                        {traces: errors.New("plain"), want: 503, retryAfter: "7", text: "plain"},
		"a permanent error":                    {traces: consumererror.NewPermanent(errors.New("never")), want: 500, text: "never"},
		"a permanent status":                   {traces: consumererror.NewPermanent(status.Error(codes.InvalidArgument, "no")), want: 400, text: "no"},
		"no key":                               {traces: status.Error(codes.Unauthenticated, "who"), want: 401, text: "who"},
		"no permission":                        {traces: status.Error(codes.PermissionDenied, "not you"), want: 403, text: "not you"},
		"too late, of a server behind":         {traces: status.Error(codes.DeadlineExceeded, "context deadline exceeded"), want: 503, retryAfter: "7", text: "not stored within 25s: send it again"},
		"too late, with a reason":              {traces: fmt.Errorf("no room: %w", context.DeadlineExceeded), want: 503, retryAfter: "7", text: "not stored within 25s: no room"},
		"stopped":                              {traces: context.Canceled, want: 503, retryAfter: "7", text: "not stored: the collector is stopping"},
		"logs alone refused":                   {logs: errors.New("plain"), want: 503, retryAfter: "7", text: "plain"},
		"the final refusal is told, of logs":   {traces: errors.New("plain"), logs: status.Error(codes.PermissionDenied, "not you"), want: 403, text: "not you"},
		"the final refusal is told, of traces": {logs: errors.New("plain"), traces: status.Error(codes.PermissionDenied, "not you"), want: 403, text: "not you"},
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
	assert.Equal(t, "not stored within 1ms: send it again", r.Error)
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

// A store that is away must not hold up whoever stops the collector.
func TestShutdownDoesNotWaitForAPipeline(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = "127.0.0.1:0"
	entered := make(chan struct{})
	traces, err := consumer.NewTraces(func(ctx context.Context, _ ptrace.Traces) error {
		close(entered)
		<-ctx.Done()
		return ctx.Err()
	})
	require.NoError(t, err)
	c, err := NewFactory().CreateTraces(t.Context(), receivertest.NewNopSettings(metadata.Type), cfg, traces)
	require.NoError(t, err)
	r := c.(*shared)
	r.grace = time.Millisecond
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	answered := make(chan reply, 1)
	go func() { answered <- post(t, "http://"+r.listener.Addr().String()+ingestPath, []byte(goodLine)) }()
	<-entered
	require.NoError(t, r.Shutdown(t.Context()))
	assert.Equal(t, http.StatusServiceUnavailable, (<-answered).status)
	http.DefaultClient.CloseIdleConnections()
}

// Nor must a sender that never ends its body.
func TestShutdownCutsOffASenderThatStalls(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = "127.0.0.1:0"
	c, err := NewFactory().CreateTraces(t.Context(), receivertest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	r := c.(*shared)
	r.grace = time.Millisecond
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	conn, err := net.Dial("tcp", r.listener.Addr().String())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = conn.Write([]byte("POST /v1/ingest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue") // the handler reads
	require.NoError(t, r.Shutdown(t.Context()))
}
