package metadata

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// Observation is what the observable instruments read.
type Observation struct {
	AppendedBytes   int64
	AppendedRecords int64
	CarriedBytes    int64
	RefusedBatches  int64
	Syncs           int64
	TornTails       int64
	CacheBytes      int64
	DiskBytes       int64
	Keys            int64
	LiveBytes       int64
}

// TelemetryBuilder holds the instruments of the component.
type TelemetryBuilder struct {
	JournalSyncDuration metric.Float64Histogram

	meter        metric.Meter
	observed     []observed
	registration metric.Registration
}

// observed is an instrument and what it reads.
type observed struct {
	instrument metric.Int64Observable
	value      func(Observation) int64
}

// syncBuckets are in seconds.
var syncBuckets = []float64{0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	b := &TelemetryBuilder{meter: settings.MeterProvider.Meter(ScopeName)}
	var err error
	b.JournalSyncDuration, err = b.meter.Float64Histogram("otelcol_journal_sync_duration",
		metric.WithDescription("How long a sync takes. [Development]"), metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(syncBuckets...))
	if err != nil {
		return nil, fmt.Errorf("instruments of the journal: %w", err)
	}
	for _, c := range []struct {
		name, unit, description string
		value                   func(Observation) int64
	}{
		{"otelcol_journal_appended_bytes", "By", "Number of bytes of records appended to the journal, with their headers. [Development]", func(o Observation) int64 { return o.AppendedBytes }},
		{"otelcol_journal_appended_records", "{records}", "Number of records appended to the journal. [Development]", func(o Observation) int64 { return o.AppendedRecords }},
		{"otelcol_journal_carried_bytes", "By", "Number of bytes of values copied forward so that old segments can be reused. [Development]", func(o Observation) int64 { return o.CarriedBytes }},
		{"otelcol_journal_refused_batches", "{batches}", "Number of batches refused because the journal or its disk was full. [Development]", func(o Observation) int64 { return o.RefusedBatches }},
		{"otelcol_journal_syncs", "{syncs}", "Number of syncs. [Development]", func(o Observation) int64 { return o.Syncs }},
		{"otelcol_journal_torn_tails", "{tails}", "Number of torn tails cut off at start. [Development]", func(o Observation) int64 { return o.TornTails }},
	} {
		instrument, err := b.meter.Int64ObservableCounter(c.name, metric.WithDescription(c.description), metric.WithUnit(c.unit))
		if err != nil {
			return nil, fmt.Errorf("instruments of the journal: %w", err)
		}
		b.observed = append(b.observed, observed{instrument, c.value})
	}
	for _, g := range []struct {
		name, unit, description string
		value                   func(Observation) int64
	}{
		{"otelcol_journal_cache_bytes", "By", "Number of bytes of values kept in memory. [Development]", func(o Observation) int64 { return o.CacheBytes }},
		{"otelcol_journal_disk_bytes", "By", "Number of bytes of the journal's segments on disk. [Development]", func(o Observation) int64 { return o.DiskBytes }},
		{"otelcol_journal_keys", "{keys}", "Number of keys that have a value. [Development]", func(o Observation) int64 { return o.Keys }},
		{"otelcol_journal_live_bytes", "By", "Number of bytes of values that are neither deleted nor replaced. [Development]", func(o Observation) int64 { return o.LiveBytes }},
	} {
		instrument, err := b.meter.Int64ObservableUpDownCounter(g.name, metric.WithDescription(g.description), metric.WithUnit(g.unit))
		if err != nil {
			return nil, fmt.Errorf("instruments of the journal: %w", err)
		}
		b.observed = append(b.observed, observed{instrument, g.value})
	}
	return b, nil
}

// Observe makes the observable instruments read what read returns, until Shutdown.
func (b *TelemetryBuilder) Observe(read func() Observation) error {
	instruments := make([]metric.Observable, 0, len(b.observed))
	for _, o := range b.observed {
		instruments = append(instruments, o.instrument)
	}
	registration, err := b.meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		now := read()
		for _, o := range b.observed {
			to.ObserveInt64(o.instrument, o.value(now))
		}
		return nil
	}, instruments...)
	if err != nil {
		return fmt.Errorf("instruments of the journal: %w", err)
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
