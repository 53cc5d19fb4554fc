package metadata

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// Observation is what the observable instruments read.
type Observation struct {
	Keys       int64
	AgeSeconds int64
}

// TelemetryBuilder holds the instruments of the component.
type TelemetryBuilder struct {
	ProjectAuthRefusedRequests metric.Int64Counter
	ProjectAuthFetches         metric.Int64Counter

	meter        metric.Meter
	keys         metric.Int64ObservableGauge
	age          metric.Int64ObservableGauge
	registration metric.Registration
}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	b := &TelemetryBuilder{meter: settings.MeterProvider.Meter(ScopeName)}
	var err error
	if b.ProjectAuthRefusedRequests, err = b.meter.Int64Counter("otelcol_project_auth_refused_requests",
		metric.WithDescription("Number of requests refused because of their ingest key. [Development]"),
		metric.WithUnit("{requests}")); err != nil {
		return nil, fmt.Errorf("instruments of project_auth: %w", err)
	}
	if b.ProjectAuthFetches, err = b.meter.Int64Counter("otelcol_project_auth_fetches",
		metric.WithDescription("Number of times the query server was asked for the ingest keys. [Development]"),
		metric.WithUnit("{requests}")); err != nil {
		return nil, fmt.Errorf("instruments of project_auth: %w", err)
	}
	if b.keys, err = b.meter.Int64ObservableGauge("otelcol_project_auth_keys",
		metric.WithDescription("Number of ingest keys of the query server. [Development]"),
		metric.WithUnit("{keys}")); err != nil {
		return nil, fmt.Errorf("instruments of project_auth: %w", err)
	}
	if b.age, err = b.meter.Int64ObservableGauge("otelcol_project_auth_table_age",
		metric.WithDescription("Time since the query server last confirmed the ingest keys. [Development]"),
		metric.WithUnit("s")); err != nil {
		return nil, fmt.Errorf("instruments of project_auth: %w", err)
	}
	return b, nil
}

// Observe registers what the observable instruments read, until Shutdown. They
// have no value while read says there is none.
func (b *TelemetryBuilder) Observe(read func() (Observation, bool)) error {
	var err error
	b.registration, err = b.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		if seen, ok := read(); ok {
			o.ObserveInt64(b.keys, seen.Keys)
			o.ObserveInt64(b.age, seen.AgeSeconds)
		}
		return nil
	}, b.keys, b.age)
	if err != nil {
		return fmt.Errorf("instruments of project_auth: %w", err)
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
