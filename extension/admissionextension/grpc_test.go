package admissionextension

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/trackwayhq/trackway/internal/admission"
)

// traces is a receiver that asks f.
type traces struct {
	ptraceotlp.UnimplementedGRPCServer
	f func(context.Context, ptraceotlp.ExportRequest) error
}

func (s *traces) Export(ctx context.Context, req ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	admission.ChargeItems(ctx, req.Traces().SpanCount())
	return ptraceotlp.NewExportResponse(), s.f(ctx, req)
}

// serveGRPC runs a gRPC server with the extension as a middleware; a nil
// authenticator lets everybody in.
func serveGRPC(t *testing.T, cfg *Config, auth *authenticator, f func(context.Context, ptraceotlp.ExportRequest) error) (string, *admissionExtension) {
	t.Helper()
	extensions := host{}
	if auth != nil {
		extensions[authID], cfg.Authenticator = auth, &authID
	}
	a := start(t, cfg, extensions)
	options, err := a.GetGRPCServerOptions(t.Context())
	require.NoError(t, err)
	server := grpc.NewServer(options...)
	ptraceotlp.RegisterGRPCServer(server, &traces{f: f})
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { server.Stop(); <-done })
	return l.Addr().String(), a
}

func dial(t *testing.T, addr string) ptraceotlp.GRPCClient {
	t.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return ptraceotlp.NewGRPCClient(conn)
}

// spans is a message of one span with a name of n bytes.
func spans(n int) ptraceotlp.ExportRequest {
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName(strings.Repeat("x", n))
	return ptraceotlp.NewExportRequestFromTraces(td)
}

func retryDelay(t *testing.T, err error) time.Duration {
	t.Helper()
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration()
		}
	}
	return 0
}

func accept(context.Context, ptraceotlp.ExportRequest) error { return nil }

func TestMessagesAreBounded(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.MaxMessageBytes = 1 << 20
	addr, a := serveGRPC(t, cfg, nil, accept)
	client := dial(t, addr)
	_, err := client.Export(t.Context(), spans(1000))
	require.NoError(t, err)
	_, err = client.Export(t.Context(), spans(8<<20))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.Zero(t, retryDelay(t, err), "it would not fit the next time either")
	_, err = client.Export(t.Context(), spans(40<<20), grpc.UseCompressor(gzip.Name))
	require.Equal(t, codes.ResourceExhausted, status.Code(err), "a few kilobytes that inflate to 40 MiB")
	require.Eventually(t, func() bool { return a.budget.inUse() == 0 }, 10*time.Second, time.Millisecond)
}

func TestCallsInProgressAreBounded(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.MaxRequestBytes, cfg.MaxMessageBytes, cfg.MaxDecodedBytes, cfg.MaxInProgressBytes, cfg.MaxWaitingCalls = 1<<20, 1<<20, 1<<10, 1<<20+1<<19, 2
	entered, leave := make(chan struct{}), make(chan struct{})
	addr, a := serveGRPC(t, cfg, nil, func(_ context.Context, req ptraceotlp.ExportRequest) error {
		if len(req.Traces().ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Name()) > 1<<18 {
			entered <- struct{}{}
			<-leave
		}
		return nil
	})
	client := dial(t, addr)
	held := make(chan error, 3)
	send := func(size int) {
		_, err := client.Export(context.Background(), spans(size))
		held <- err
	}
	go send(1<<19 + 1<<18)
	<-entered
	assert.Less(t, a.budget.inUse(), int64(1<<20), "a call whose message is there holds its size")

	// There is no room for another: two calls may wait, a third is told to come again.
	go send(10)
	go send(10)
	require.Eventually(t, func() bool { return a.calls.inUse() == 2 }, 10*time.Second, time.Millisecond)
	_, err := client.Export(t.Context(), spans(10))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.ErrorContains(t, err, "2 calls waiting to be received already (max_waiting_calls)")
	require.Equal(t, time.Second, retryDelay(t, err))
	close(leave)
	for range 3 {
		require.NoError(t, <-held, "who waited is served")
	}
	require.Eventually(t, func() bool { return a.budget.inUse() == 0 && a.calls.inUse() == 0 }, 10*time.Second, time.Millisecond)
}

// However little room there is, senders that come together are all served.
func TestManySendersInLittleRoom(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.MaxRequestBytes, cfg.MaxMessageBytes, cfg.MaxDecodedBytes, cfg.MaxInProgressBytes = 1<<20, 1<<20, 1<<10, 1<<20+1<<10
	addr, a := serveGRPC(t, cfg, nil, accept)
	results := make(chan error)
	for range 10 {
		client := dial(t, addr)
		for range 10 {
			go func() {
				var err error
				for range 10 {
					if _, err = client.Export(context.Background(), spans(100<<10)); err != nil {
						break
					}
				}
				results <- err
			}()
		}
	}
	for range 100 {
		require.NoError(t, <-results)
	}
	require.Eventually(t, func() bool { return a.budget.inUse() == 0 && a.calls.inUse() == 0 }, 10*time.Second, time.Millisecond)
}

// A call that waits for room is ended when its time is over.
func TestCallsDoNotWaitForEver(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.ReceiveTimeout = 100 * time.Millisecond
	addr, a := serveGRPC(t, cfg, nil, accept)
	require.True(t, a.budget.acquire(cfg.MaxInProgressBytes))
	_, err := dial(t, addr).Export(t.Context(), spans(10))
	require.Contains(t, []codes.Code{codes.Canceled, codes.ResourceExhausted}, status.Code(err), "which of the two is first")
	a.budget.release(cfg.MaxInProgressBytes)
	require.Eventually(t, func() bool { return a.budget.inUse() == 0 && a.calls.inUse() == 0 }, 10*time.Second, time.Millisecond)
	_, err = dial(t, addr).Export(t.Context(), spans(10))
	require.NoError(t, err)
}

func TestProjectsOverGRPC(t *testing.T) {
	auth := &authenticator{limits: admission.Limits{ItemsPerDay: 2}}
	answer := status.Error(codes.Unavailable, "no")
	addr, a := serveGRPC(t, createDefaultConfig().(*Config), auth, func(context.Context, ptraceotlp.ExportRequest) error { return answer })
	client := dial(t, addr)
	_, err := client.Export(t.Context(), spans(1))
	require.Equal(t, codes.Unauthenticated, status.Code(err))
	ctx := metadata.AppendToOutgoingContext(t.Context(), "project", "archived")
	_, err = client.Export(ctx, spans(1))
	require.Equal(t, codes.PermissionDenied, status.Code(err))

	ctx = metadata.AppendToOutgoingContext(t.Context(), "project", "shop")
	for range 3 {
		_, err = client.Export(ctx, spans(1))
		require.Equal(t, codes.Unavailable, status.Code(err), "what was not accepted does not count")
	}
	answer = nil
	for range 2 {
		_, err = client.Export(ctx, spans(1))
		require.NoError(t, err)
	}
	_, today := a.projects.get("shop").usage()
	assert.EqualValues(t, 2, today.Items)
	assert.Positive(t, today.Bytes)
	_, err = client.Export(ctx, spans(1))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.ErrorContains(t, err, "project shop is over its limit of 2 (items_per_day)")
	delay := retryDelay(t, err)
	assert.Positive(t, delay)
	assert.Zero(t, delay%time.Second, "receivers cut the delay to whole seconds")
}

// A sender that begins a call and does not go on must not hold the longest
// message's bytes for ever.
func TestSlowMessages(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.ReceiveTimeout = 100 * time.Millisecond
	addr, a := serveGRPC(t, cfg, nil, accept)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = conn.Write([]byte(http2.ClientPreface))
	require.NoError(t, err)
	framer := http2.NewFramer(conn, conn)
	require.NoError(t, framer.WriteSettings())
	var block strings.Builder
	encoder := hpack.NewEncoder(&block)
	for _, h := range [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":path", "/opentelemetry.proto.collector.trace.v1.TraceService/Export"},
		{":authority", "x"}, {"content-type", "application/grpc"}, {"te", "trailers"},
	} {
		require.NoError(t, encoder.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]}))
	}
	require.NoError(t, framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte(block.String()), EndHeaders: true}))
	require.NoError(t, framer.WriteData(1, false, []byte{0, 0, 0, 3, 232})) // 1000 bytes are to come
	require.Eventually(t, func() bool { return a.budget.inUse() == cfg.MaxMessageBytes }, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return a.budget.inUse() == 0 }, 10*time.Second, time.Millisecond)
}

// The timeout is for the message: what the pipelines need comes on top.
func TestSlowPipelinesOverGRPC(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.ReceiveTimeout = 50 * time.Millisecond
	addr, _ := serveGRPC(t, cfg, nil, func(ctx context.Context, _ ptraceotlp.ExportRequest) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(300 * time.Millisecond):
			return nil
		}
	})
	_, err := dial(t, addr).Export(t.Context(), spans(1))
	require.NoError(t, err)
}
