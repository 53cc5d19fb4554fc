package metadata

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// TelemetryBuilder holds the instruments of the component.
type TelemetryBuilder struct {
	ProcessorCorrelationRefusedKeys metric.Int64Counter
}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	meter := settings.MeterProvider.Meter(ScopeName)
	refused, err := meter.Int64Counter(
		"otelcol_processor_correlation_refused_keys",
		metric.WithDescription("Number of correlation keys left out of a record. [Development]"),
		metric.WithUnit("{keys}"),
	)
	if err != nil {
		return nil, fmt.Errorf("instruments of the correlation processor: %w", err)
	}
	return &TelemetryBuilder{ProcessorCorrelationRefusedKeys: refused}, nil
}
