package metadata

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// TelemetryBuilder holds the instruments of the component. Accepted and refused
// items are the receiver helper's; these count what never became an item.
type TelemetryBuilder struct {
	ReceiverRequestEventRejectedLines  metric.Int64Counter
	ReceiverRequestEventRejectedBodies metric.Int64Counter
}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	meter := settings.MeterProvider.Meter(ScopeName)
	var b TelemetryBuilder
	var err error
	if b.ReceiverRequestEventRejectedLines, err = meter.Int64Counter(
		"otelcol_receiver_request_event_rejected_lines",
		metric.WithDescription("Number of lines rejected because they are not valid items. [Development]"),
		metric.WithUnit("{lines}"),
	); err != nil {
		return nil, fmt.Errorf("instruments of the request_event receiver: %w", err)
	}
	if b.ReceiverRequestEventRejectedBodies, err = meter.Int64Counter(
		"otelcol_receiver_request_event_rejected_bodies",
		metric.WithDescription("Number of request bodies answered with an error, by HTTP status code. [Development]"),
		metric.WithUnit("{requests}"),
	); err != nil {
		return nil, fmt.Errorf("instruments of the request_event receiver: %w", err)
	}
	return &b, nil
}
