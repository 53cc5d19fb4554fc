package metadata

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// TelemetryBuilder holds the instruments of the component.
type TelemetryBuilder struct {
	ProcessorCorrelationRefusedKeys   metric.Int64Counter
	ProcessorCorrelationCarriedKeys   metric.Int64Counter
	ProcessorCorrelationCarriedTraces metric.Int64Gauge
	ProcessorCorrelationEvictedTraces metric.Int64Counter
}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	meter := settings.MeterProvider.Meter(ScopeName)
	var b TelemetryBuilder
	var errs [4]error
	b.ProcessorCorrelationRefusedKeys, errs[0] = meter.Int64Counter(
		"otelcol_processor_correlation_refused_keys",
		metric.WithDescription("Number of correlation keys left out of a record. [Development]"),
		metric.WithUnit("{keys}"),
	)
	b.ProcessorCorrelationCarriedKeys, errs[1] = meter.Int64Counter(
		"otelcol_processor_correlation_carried_keys",
		metric.WithDescription("Number of correlation keys that records got from earlier records of their trace. [Development]"),
		metric.WithUnit("{keys}"),
	)
	b.ProcessorCorrelationCarriedTraces, errs[2] = meter.Int64Gauge(
		"otelcol_processor_correlation_carried_traces",
		metric.WithDescription("Number of traces whose correlation keys are remembered. [Development]"),
		metric.WithUnit("{traces}"),
	)
	b.ProcessorCorrelationEvictedTraces, errs[3] = meter.Int64Counter(
		"otelcol_processor_correlation_evicted_traces",
		metric.WithDescription("Number of traces whose correlation keys were forgotten. [Development]"),
		metric.WithUnit("{traces}"),
	)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("instruments of the correlation processor: %w", err)
	}
	return &b, nil
}
