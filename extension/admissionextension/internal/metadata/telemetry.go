package metadata

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// Observation is what the observable instruments read.
type Observation struct {
	InProgressBytes int64
	Projects        int64
}

// TelemetryBuilder holds the instruments of the component.
type TelemetryBuilder struct {
	AdmissionRefusedRequests metric.Int64Counter

	meter        metric.Meter
	inProgress   metric.Int64ObservableUpDownCounter
	projects     metric.Int64ObservableUpDownCounter
	registration metric.Registration
}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	b := &TelemetryBuilder{meter: settings.MeterProvider.Meter(ScopeName)}
	var err error
	if b.AdmissionRefusedRequests, err = b.meter.Int64Counter("otelcol_admission_refused_requests",
		metric.WithDescription("Number of requests refused because of a limit. [Development]"),
		metric.WithUnit("{requests}")); err != nil {
		return nil, fmt.Errorf("instruments of admission: %w", err)
	}
	if b.inProgress, err = b.meter.Int64ObservableUpDownCounter("otelcol_admission_in_progress_bytes",
		metric.WithDescription("Number of bytes held by the requests in progress. [Development]"),
		metric.WithUnit("By")); err != nil {
		return nil, fmt.Errorf("instruments of admission: %w", err)
	}
	if b.projects, err = b.meter.Int64ObservableUpDownCounter("otelcol_admission_projects",
		metric.WithDescription("Number of projects with limits that sent something lately. [Development]"),
		metric.WithUnit("{projects}")); err != nil {
		return nil, fmt.Errorf("instruments of admission: %w", err)
	}
	return b, nil
}

// Observe registers what the observable instruments read, until Shutdown.
func (b *TelemetryBuilder) Observe(read func() Observation) error {
	var err error
	b.registration, err = b.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		seen := read()
		o.ObserveInt64(b.inProgress, seen.InProgressBytes)
		o.ObserveInt64(b.projects, seen.Projects)
		return nil
	}, b.inProgress, b.projects)
	if err != nil {
		return fmt.Errorf("instruments of admission: %w", err)
	}
	return nil
}

// Shutdown ends the observation.
func (b *TelemetryBuilder) Shutdown() error {
	if b.registration == nil {
		return nil
	}
	return b.registration.Unregister()
}
