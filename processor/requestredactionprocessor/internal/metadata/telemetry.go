package metadata

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// TelemetryBuilder holds the instruments of the component.
type TelemetryBuilder struct {
	ProcessorRequestRedactionMaskedValues metric.Int64Counter
}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	meter := settings.MeterProvider.Meter(ScopeName)
	masked, err := meter.Int64Counter(
		"otelcol_processor_request_redaction_masked_values",
		metric.WithDescription("Number of values redacted, or that would have been in shadow mode. [Development]"),
		metric.WithUnit("{values}"),
	)
	if err != nil {
		return nil, fmt.Errorf("instruments of the request_redaction processor: %w", err)
	}
	return &TelemetryBuilder{ProcessorRequestRedactionMaskedValues: masked}, nil
}
