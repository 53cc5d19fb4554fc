package metadata

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// Observation is what the observable instruments read.
type Observation struct {
	Rows      int64
	Bytes     int64
	Coarsened int64
}

// TelemetryBuilder holds the instruments of the component.
type TelemetryBuilder struct {
	LedgerWriteFailures metric.Int64Counter

	meter        metric.Meter
	rows, bytes  metric.Int64ObservableUpDownCounter
	coarsened    metric.Int64ObservableCounter
	registration metric.Registration
}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (b *TelemetryBuilder, err error) {
	b = &TelemetryBuilder{meter: settings.MeterProvider.Meter(ScopeName)}
	defer func() {
		if err != nil {
			err = fmt.Errorf("instruments of the ledger: %w", err)
		}
	}()
	if b.LedgerWriteFailures, err = b.meter.Int64Counter("otelcol_ledger_write_failures",
		metric.WithDescription("Number of times that counts could not be written to the table. [Development]"), metric.WithUnit("{writes}")); err != nil {
		return nil, err
	}
	if b.rows, err = b.meter.Int64ObservableUpDownCounter("otelcol_ledger_rows",
		metric.WithDescription("Number of rows, one a project and minute, that are kept until the table has them. [Development]"), metric.WithUnit("{rows}")); err != nil {
		return nil, err
	}
	if b.bytes, err = b.meter.Int64ObservableUpDownCounter("otelcol_ledger_bytes",
		metric.WithDescription("Number of bytes of memory that these rows take. [Development]"), metric.WithUnit("By")); err != nil {
		return nil, err
	}
	b.coarsened, err = b.meter.Int64ObservableCounter("otelcol_ledger_coarsened_minutes",
		metric.WithDescription("Number of times that a minute had no room for a row of its own and shared another's. [Development]"), metric.WithUnit("{minutes}"))
	return b, err
}

// Observe makes the observable instruments read what read returns, until Shutdown.
func (b *TelemetryBuilder) Observe(read func() Observation) error {
	registration, err := b.meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		now := read()
		to.ObserveInt64(b.rows, now.Rows)
		to.ObserveInt64(b.bytes, now.Bytes)
		to.ObserveInt64(b.coarsened, now.Coarsened)
		return nil
	}, b.rows, b.bytes, b.coarsened)
	if err != nil {
		return fmt.Errorf("instruments of the ledger: %w", err)
	}
	b.registration = registration
	return nil
}

// Shutdown ends the observation.
func (b *TelemetryBuilder) Shutdown() error {
	if b.registration == nil {
		return nil
	}
	return b.registration.Unregister()
}
