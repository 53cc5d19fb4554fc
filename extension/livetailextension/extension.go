package livetailextension

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/extension"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/livetail"
	"github.com/trackwayhq/trackway/internal/record"
)

const tailPath = "/v1/tail"

// liveTail is the extension. Exporters see it as a livetail.Publisher.
type liveTail struct {
	cfg *Config
	set extension.Settings
	hub *livetail.Hub

	server   *http.Server
	listener net.Listener
	serving  sync.WaitGroup
}

var _ livetail.Publisher = (*liveTail)(nil)

func newExtension(set extension.Settings, cfg *Config) *liveTail {
	return &liveTail{cfg: cfg, set: set, hub: livetail.NewHub(livetail.Limits{
		Subscribers: cfg.MaxSubscribers,
		PerSecond:   cfg.MaxRecordsPerSecond,
		Buffer:      cfg.BufferRecords,
		BufferBytes: cfg.BufferBytes,
	})}
}

// Active says whether anybody is listening.
func (t *liveTail) Active() bool { return t.hub.Active() }

// Publish offers records to the listeners.
func (t *liveTail) Publish(records []record.Record) { t.hub.Publish(records) }

// Start listens; a port that is taken fails the start.
func (t *liveTail) Start(ctx context.Context, host component.Host) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+tailPath, t.tail)
	var err error
	t.server, err = t.cfg.HTTP.ToServer(ctx, host.GetExtensions(), t.set.TelemetrySettings, mux)
	if err != nil {
		return fmt.Errorf("http: %w", err)
	}
	t.listener, err = t.cfg.HTTP.ToListener(ctx)
	if err != nil {
		return fmt.Errorf("http::endpoint %s: %w", t.cfg.HTTP.NetAddr.Endpoint, err)
	}
	t.set.Logger.Info("Serving the live tail", zap.String("endpoint", t.listener.Addr().String()), zap.String("path", tailPath))
	t.serving.Go(func() {
		if err := t.server.Serve(t.listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(err))
		}
	})
	return nil
}

// Shutdown ends all streams and stops listening.
func (t *liveTail) Shutdown(ctx context.Context) error {
	t.hub.Close()
	if t.server == nil {
		return nil
	}
	err := t.server.Shutdown(ctx)
	t.serving.Wait()
	return err
}
