package clickhouserollupexporter

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"

	"github.com/trackwayhq/trackway/exporter/clickhouserollupexporter/internal/metadata"
	"github.com/trackwayhq/trackway/internal/instances"
)

// NewFactory returns the factory of the clickhouse_rollup exporter.
func NewFactory() exporter.Factory {
	var running instances.Map[*Config, *shared]
	get := func(ctx context.Context, set exporter.Settings, cfg *Config) (*shared, error) {
		return running.Get(cfg, func(remove func()) (*shared, error) {
			e, err := newExporter(ctx, set, cfg)
			return &shared{rollupExporter: e, remove: remove}, err
		})
	}
	return exporter.NewFactory(
		metadata.Type,
		createDefaultConfig,
		exporter.WithTraces(func(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
			return get(ctx, set, cfg.(*Config))
		}, metadata.TracesStability),
		exporter.WithLogs(func(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
			return get(ctx, set, cfg.(*Config))
		}, metadata.LogsStability),
	)
}

// shared starts and stops an exporter once, however many pipelines hold it: traces
// and logs share one and its queue, because one delivery of ours carries both and a
// unit of insert holds all.
type shared struct {
	*rollupExporter
	start, stop sync.Once
	remove      func()
}

// Start starts the exporter at the first call.
func (s *shared) Start(ctx context.Context, host component.Host) (err error) {
	s.start.Do(func() { err = s.rollupExporter.Start(ctx, host) })
	return err
}

// Shutdown stops the exporter at the first call.
func (s *shared) Shutdown(ctx context.Context) (err error) {
	s.stop.Do(func() {
		s.remove()
		err = s.rollupExporter.Shutdown(ctx)
	})
	return err
}
