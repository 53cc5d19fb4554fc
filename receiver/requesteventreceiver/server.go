package requesteventreceiver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/receiver/requesteventreceiver/internal/metadata"
)

const ingestPath = "/v1/ingest"

const (
	// shutdownGrace is what requests in hand get to end by themselves. The store
	// may be away, and whoever stops the collector should not wait for it.
	shutdownGrace = 5 * time.Second
	// answerGrace is what they then get to tell their senders.
	answerGrace = time.Second
)

// requestEventReceiver listens and hands what it decodes to the pipelines.
type requestEventReceiver struct {
	cfg       *Config
	set       receiver.Settings
	obs       *receiverhelper.ObsReport
	telemetry *metadata.TelemetryBuilder

	traces consumer.Traces // nil without a traces pipeline
	logs   consumer.Logs   // nil without a logs pipeline

	decoders sync.Pool // of *decoder
	inflight inflight

	server   *http.Server
	listener net.Listener
	serving  sync.WaitGroup
	grace    time.Duration
	giveUp   context.CancelFunc // ends the contexts of the requests in hand
}

func newReceiver(set receiver.Settings, cfg *Config) (*requestEventReceiver, error) {
	obs, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID:             set.ID,
		Transport:              "http",
		ReceiverCreateSettings: set,
	})
	if err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &requestEventReceiver{
		cfg: cfg, set: set, obs: obs, telemetry: telemetry, grace: shutdownGrace,
		decoders: sync.Pool{New: func() any { return newDecoder() }},
		inflight: inflight{max: cfg.MaxInflightBytes},
	}, nil
}

// Start listens; a port that is taken fails the start.
func (r *requestEventReceiver) Start(ctx context.Context, host component.Host) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+ingestPath, r.ingest)

	serverConfig := r.cfg.HTTP
	serverConfig.MaxRequestBodySize = r.cfg.MaxRequestBytes
	var err error
	r.server, err = serverConfig.ToServer(ctx, host.GetExtensions(), r.set.TelemetrySettings, mux,
		confighttp.WithErrorHandler(r.refuse), confighttp.WithDecoder("zstd", newZstdReader), confighttp.WithDecoder("identity", identity))
	if err != nil {
		return fmt.Errorf("http: %w", err)
	}
	r.listener, err = serverConfig.ToListener(ctx)
	if err != nil {
		return fmt.Errorf("http::endpoint %s: %w", serverConfig.NetAddr.Endpoint, err)
	}
	base, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	r.giveUp = giveUp
	r.server.BaseContext = func(net.Listener) context.Context { return base }
	r.set.Logger.Info("Listening for NDJSON", zap.String("endpoint", r.listener.Addr().String()), zap.String("path", ingestPath))
	r.serving.Go(func() {
		if err := r.server.Serve(r.listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(err))
		}
	})
	return nil
}

// Shutdown stops listening and waits for the requests in hand. Those that take
// longer than the grace are told to come again (503), and those that still send
// their body are cut off.
func (r *requestEventReceiver) Shutdown(ctx context.Context) error {
	if r.giveUp == nil {
		return nil // not listening
	}
	defer r.giveUp()
	err := r.drain(ctx, r.grace)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		r.giveUp()
		if err = r.drain(ctx, answerGrace); errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = r.server.Close()
		}
	}
	r.serving.Wait()
	return err
}

func (r *requestEventReceiver) drain(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return r.server.Shutdown(ctx)
}
