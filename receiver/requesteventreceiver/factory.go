package requesteventreceiver

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	"github.com/trackwayhq/trackway/receiver/requesteventreceiver/internal/metadata"
)

// NewFactory returns the factory of the request_event receiver.
func NewFactory() receiver.Factory {
	var running instances
	return receiver.NewFactory(
		metadata.Type,
		createDefaultConfig,
		receiver.WithTraces(func(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
			s, err := running.get(set, cfg.(*Config))
			if err != nil {
				return nil, err
			}
			s.traces = next
			return s, nil
		}, metadata.TracesStability),
		receiver.WithLogs(func(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs) (receiver.Logs, error) {
			s, err := running.get(set, cfg.(*Config))
			if err != nil {
				return nil, err
			}
			s.logs = next
			return s, nil
		}, metadata.LogsStability),
	)
}
