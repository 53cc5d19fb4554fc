package clickhouserollupexporter

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/trackwayhq/trackway/internal/schema"
)

// deadStore is a store that answers nothing but errors until it is opened.
func deadStore(t *testing.T) (url string, requests func() int) {
	t.Helper()
	return refusingStore(t, "241", "Code: 241. DB::Exception: Memory limit exceeded")
}

// refusingStore answers every statement with an exception.
func refusingStore(t *testing.T, code, text string) (url string, requests func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		n++
		mu.Unlock()
		w.Header().Set("X-ClickHouse-Exception-Code", code)
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s.URL, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

func TestFullQueueTellsSendersToWait(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	var requests func() int
	cfg.ClickHouse.Endpoint, requests = deadStore(t)
	one := batchOf(requestTraces(1, time.Now())).Size() + itemHead
	cfg.Queue.Get().QueueSize = int64(one + one/2) // room for one
	e := startExporter(t, cfg)

	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan error, 1)
	go func() { first <- e.ConsumeTraces(ctx, requestTraces(1, time.Now())) }()
	require.Eventually(t, func() bool { return requests() > 0 }, 10*time.Second, time.Millisecond)
	err := e.ConsumeTraces(context.Background(), requestTraces(1, time.Now()))
	require.Equal(t, codes.ResourceExhausted, status.Code(err), "%v", err)
	st, _ := status.FromError(err)
	require.Len(t, st.Details(), 1)
	assert.Equal(t, time.Second, st.Details()[0].(*errdetails.RetryInfo).RetryDelay.AsDuration(), "nothing is known of the drain rate")
	assert.False(t, consumererror.IsPermanent(err))

	err = e.ConsumeTraces(context.Background(), requestTraces(5, time.Now()))
	assert.True(t, consumererror.IsPermanent(err), "larger than the whole queue: trying again is useless")
	assert.ErrorContains(t, err, "send smaller batches")

	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
}

func TestSenderThatGivesUpIsToldWhy(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server watches for hang-ups once the body is read
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	full, _ := refusingStore(t, "243",
		"Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space: While executing X. (NOT_ENOUGH_SPACE) (version 26.7.2.1), Stack trace:\n\n0. ./a.cpp:1")
	short, _ := deadStore(t)
	for name, tt := range map[string]struct {
		endpoint string
		want     string
	}{
		"no room":   {full, "the store has no room (NOT_ENOUGH_SPACE): free space in the data directory, then send it again"},
		"no memory": {short, "Memory limit exceeded: send it again"},
		"silent":    {silent.URL, "the store has not answered: send it again"},
		"away":      {"http://127.0.0.1:1", "store unreachable at http://127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := NewFactory().CreateDefaultConfig().(*Config)
			cfg.ClickHouse.Endpoint = tt.endpoint
			cfg.Unit.MaxAge = time.Millisecond
			cfg.Retry.InitialInterval, cfg.Retry.MaxInterval = time.Hour, time.Hour
			core, seen := observer.New(zap.WarnLevel)
			set := settings()
			set.Logger = zap.New(core)
			e, err := NewFactory().CreateTraces(context.Background(), set, cfg)
			require.NoError(t, err)
			require.NoError(t, e.Start(context.Background(), componenttest.NewNopHost()))
			ctx, cancel := context.WithCancel(context.Background())
			answer := make(chan error, 1)
			go func() { answer <- e.ConsumeTraces(ctx, requestTraces(1, time.Now())) }()
			if name != "silent" {
				require.Eventually(t, func() bool { return seen.Len() > 0 }, 10*time.Second, time.Millisecond)
			}
			if name == "no room" {
				err = e.ConsumeTraces(context.Background(), requestTraces(1, time.Now()))
				assert.Equal(t, codes.Unavailable, status.Code(err), "the next one is told at once: %v", err)
				require.ErrorContains(t, err, tt.want)
			}
			cancel()
			err = <-answer
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), context.Canceled.Error())
			assert.False(t, consumererror.IsPermanent(err))
			for _, entry := range seen.All() {
				assert.NotContains(t, fmt.Sprint(entry.ContextMap()), "a.cpp", "the engine's stack frames")
			}
			if name == "silent" {
				silent.CloseClientConnections()
			}
			require.NoError(t, e.Shutdown(context.Background()))
		})
	}
}

func TestShutdownDoesNotWaitForADeadStore(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	var requests func() int
	cfg.ClickHouse.Endpoint, requests = deadStore(t)
	cfg.Retry.InitialInterval, cfg.Retry.MaxInterval = time.Hour, time.Hour
	e, err := NewFactory().CreateTraces(context.Background(), settings(), cfg)
	require.NoError(t, err)
	host := &statusHost{}
	require.NoError(t, e.Start(context.Background(), host))
	answer := make(chan error, 1)
	go func() { answer <- e.ConsumeTraces(context.Background(), requestTraces(1, time.Now())) }()
	require.Eventually(t, func() bool { return requests() > 0 }, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return host.last() == componentstatus.StatusRecoverableError }, 10*time.Second, time.Millisecond)
	require.NoError(t, e.Shutdown(context.Background()))
	err = <-answer
	require.ErrorIs(t, err, errStopping)
	require.ErrorContains(t, err, "Memory limit exceeded")
	assert.False(t, consumererror.IsPermanent(err))
}

// statusHost remembers the last status reported.
type statusHost struct {
	mu    sync.Mutex
	state componentstatus.Status
}

func (h *statusHost) GetExtensions() map[component.ID]component.Component { return nil }

func (h *statusHost) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = e.Status()
}

func (h *statusHost) last() componentstatus.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

func TestDeliveriesAreTakenOnceThereIsRoom(t *testing.T) {
	var room atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Query().Get("query"), "INSERT") && !room.Load():
			w.Header().Set("X-ClickHouse-Exception-Code", "243")
			w.WriteHeader(http.StatusInternalServerError)
		case r.URL.Query().Get("query") == "":
			_, _ = fmt.Fprintln(w, schema.Version)
		}
	}))
	t.Cleanup(s.Close)
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.ClickHouse.Endpoint = s.URL
	cfg.Unit.MaxAge = time.Millisecond
	cfg.Retry.InitialInterval, cfg.Retry.MaxInterval = time.Millisecond, time.Millisecond
	e := startExporter(t, cfg)
	first := make(chan error, 1)
	go func() { first <- e.ConsumeTraces(context.Background(), requestTraces(1, time.Now())) }()
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		return status.Code(e.ConsumeTraces(ctx, requestTraces(1, time.Now()))) == codes.Unavailable
	}, 10*time.Second, time.Millisecond)
	room.Store(true)
	require.NoError(t, <-first, "what waited is stored")
	require.Eventually(t, func() bool {
		return e.ConsumeTraces(context.Background(), requestTraces(1, time.Now())) == nil
	}, 10*time.Second, time.Millisecond)
}
