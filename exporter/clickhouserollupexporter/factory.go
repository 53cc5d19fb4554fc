package clickhouserollupexporter

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"

	"github.com/trackwayhq/trackway/exporter/clickhouserollupexporter/internal/metadata"
)

// NewFactory returns the factory of the clickhouse_rollup exporter.
func NewFactory() exporter.Factory {
	var running instances
	return exporter.NewFactory(
		metadata.Type,
		createDefaultConfig,
		exporter.WithTraces(func(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
			return running.get(ctx, set, cfg.(*Config))
		}, metadata.TracesStability),
		exporter.WithLogs(func(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
			return running.get(ctx, set, cfg.(*Config))
		}, metadata.LogsStability),
	)
}

// instances holds the exporters that run, by their configuration: traces and
// logs share one exporter and its queue, because one delivery of ours carries
// both and a unit of insert holds all.
type instances struct {
	mu sync.Mutex
	m  map[*Config]*shared
}

// shared starts and stops an exporter once, however many pipelines hold it.
type shared struct {
	*rollupExporter
	start, stop sync.Once
	remove      func()
}

func (i *instances) get(ctx context.Context, set exporter.Settings, cfg *Config) (*shared, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s, ok := i.m[cfg]; ok {
		return s, nil
	}
	e, err := newExporter(ctx, set, cfg)
	if err != nil {
		return nil, err
	}
	s := &shared{rollupExporter: e, remove: func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.m, cfg)
	}}
	if i.m == nil {
		i.m = map[*Config]*shared{}
	}
	i.m[cfg] = s
	return s, nil
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
