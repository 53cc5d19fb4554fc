package metadata

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// TelemetryBuilder holds the instruments of the component.
type TelemetryBuilder struct {
	ProcessorProjectRefusedItems metric.Int64Counter
}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	meter := settings.MeterProvider.Meter(ScopeName)
	refused, err := meter.Int64Counter(
		"otelcol_processor_project_refused_items",
		metric.WithDescription("Number of spans, log records and data points refused because no project could be told. [Development]"),
		metric.WithUnit("{items}"),
	)
	if err != nil {
		return nil, fmt.Errorf("instruments of the project processor: %w", err)
	}
	return &TelemetryBuilder{ProcessorProjectRefusedItems: refused}, nil
}
