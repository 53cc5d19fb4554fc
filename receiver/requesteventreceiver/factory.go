package requesteventreceiver

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	"github.com/trackwayhq/trackway/internal/instances"
	"github.com/trackwayhq/trackway/receiver/requesteventreceiver/internal/metadata"
)

// NewFactory returns the factory of the request_event receiver.
func NewFactory() receiver.Factory {
	var running instances.Map[*Config, *shared]
	get := func(set receiver.Settings, cfg *Config) (*shared, error) {
		return running.Get(cfg, func(remove func()) (*shared, error) {
			r, err := newReceiver(set, cfg)
			return &shared{requestEventReceiver: r, remove: remove}, err
		})
	}
	return receiver.NewFactory(
		metadata.Type,
		createDefaultConfig,
		receiver.WithTraces(func(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
			s, err := get(set, cfg.(*Config))
			if err != nil {
				return nil, err
			}
			s.traces = next
			return s, nil
		}, metadata.TracesStability),
		receiver.WithLogs(func(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs) (receiver.Logs, error) {
			s, err := get(set, cfg.(*Config))
			if err != nil {
				return nil, err
			}
			s.logs = next
			return s, nil
		}, metadata.LogsStability),
	)
}
