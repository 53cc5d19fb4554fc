package metadata

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// TelemetryBuilder holds the instruments of the component. Sent and failed items
// and the size of the queue are the exporter helper's.
type TelemetryBuilder struct {
	ExporterClickhouseRollupDroppedItems   metric.Int64Counter
	ExporterClickhouseRollupOverCap        metric.Int64ObservableCounter
	ExporterClickhouseRollupLeftOut        metric.Int64ObservableCounter
	ExporterClickhouseRollupUnitRows       metric.Int64Histogram
	ExporterClickhouseRollupInsertDuration metric.Float64Histogram
	ExporterClickhouseRollupInsertFailures metric.Int64Counter

	ExporterClickhouseRollupItemDeliveries    metric.Int64Histogram
	ExporterClickhouseRollupRefusedDeliveries metric.Int64Counter
	ExporterClickhouseRollupDeadLetterItems   metric.Int64Counter
	ExporterClickhouseRollupDeadLetters       metric.Int64ObservableGauge
	ExporterClickhouseRollupDeadLetterBytes   metric.Int64ObservableGauge
	ExporterClickhouseRollupBatchIDs          metric.Int64ObservableGauge
	ExporterClickhouseRollupUnreadableItems   metric.Int64Counter
	ExporterClickhouseRollupBudgetDroppedRows metric.Int64Counter

	meter metric.Meter
}

// NewTelemetryBuilder creates the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	b := TelemetryBuilder{meter: settings.MeterProvider.Meter(ScopeName)}
	var err, errs error
	b.ExporterClickhouseRollupDroppedItems, err = b.meter.Int64Counter(
		"otelcol_exporter_clickhouse_rollup_dropped_items",
		metric.WithDescription("Number of spans and log records that became no row, by reason. [Development]"),
		metric.WithUnit("{items}"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupOverCap, err = b.meter.Int64ObservableCounter(
		"otelcol_exporter_clickhouse_rollup_over_cap_values",
		metric.WithDescription("Number of values replaced by (other) because their column has too many, by column. [Development]"),
		metric.WithUnit("{values}"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupLeftOut, err = b.meter.Int64ObservableCounter(
		"otelcol_exporter_clickhouse_rollup_left_out_parts",
		metric.WithDescription("Number of attributes, span events and span links left out because their item has too many, by part. [Development]"),
		metric.WithUnit("{parts}"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupUnitRows, err = b.meter.Int64Histogram(
		"otelcol_exporter_clickhouse_rollup_unit_rows",
		metric.WithDescription("Rows of a unit of insert, of all tables together. [Development]"),
		metric.WithUnit("{rows}"),
		metric.WithExplicitBucketBoundaries(1, 10, 100, 1000, 5000, 10000, 20000, 50000),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupInsertDuration, err = b.meter.Float64Histogram(
		"otelcol_exporter_clickhouse_rollup_insert_duration",
		metric.WithDescription("Time of one INSERT, by table. [Development]"),
		metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupInsertFailures, err = b.meter.Int64Counter(
		"otelcol_exporter_clickhouse_rollup_insert_failures",
		metric.WithDescription("Number of INSERTs that failed, by table and ClickHouse's exception code; 0 where the store did not answer. [Development]"),
		metric.WithUnit("{inserts}"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupItemDeliveries, err = b.meter.Int64Histogram(
		"otelcol_exporter_clickhouse_rollup_item_deliveries",
		metric.WithDescription("Number of deliveries that became one item of the queue. [Development]"),
		metric.WithUnit("{deliveries}"),
		metric.WithExplicitBucketBoundaries(1, 2, 5, 10, 20, 50, 100, 200),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupRefusedDeliveries, err = b.meter.Int64Counter(
		"otelcol_exporter_clickhouse_rollup_refused_deliveries",
		metric.WithDescription("Number of deliveries that were not taken, by reason. [Development]"),
		metric.WithUnit("{deliveries}"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupDeadLetterItems, err = b.meter.Int64Counter(
		"otelcol_exporter_clickhouse_rollup_dead_letter_items",
		metric.WithDescription("Number of spans and log records that the store refused for good, by table and ClickHouse's exception code. [Development]"),
		metric.WithUnit("{items}"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupDeadLetters, err = b.meter.Int64ObservableGauge(
		"otelcol_exporter_clickhouse_rollup_dead_letters",
		metric.WithDescription("Number of dead letters that are there. [Development]"),
		metric.WithUnit("{entries}"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupDeadLetterBytes, err = b.meter.Int64ObservableGauge(
		"otelcol_exporter_clickhouse_rollup_dead_letter_bytes",
		metric.WithDescription("Bytes of the files of dead letters, which dead_letter::max_bytes bounds. [Development]"),
		metric.WithUnit("By"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupBatchIDs, err = b.meter.Int64ObservableGauge(
		"otelcol_exporter_clickhouse_rollup_batch_ids",
		metric.WithDescription("Number of senders' batch ids that are remembered, which batch_ids::max_ids bounds. [Development]"),
		metric.WithUnit("{ids}"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupUnreadableItems, err = b.meter.Int64Counter(
		"otelcol_exporter_clickhouse_rollup_unreadable_queue_items",
		metric.WithDescription("Number of items of the queue that could not be read, by reason. [Development]"),
		metric.WithUnit("{requests}"),
	)
	errs = errors.Join(errs, err)
	b.ExporterClickhouseRollupBudgetDroppedRows, err = b.meter.Int64Counter(
		"otelcol_exporter_clickhouse_rollup_budget_dropped_rows",
		metric.WithDescription("Number of rows in partitions that were dropped to keep the disk budget, by table. [Development]"),
		metric.WithUnit("{rows}"),
	)
	errs = errors.Join(errs, err)
	if errs != nil {
		return nil, fmt.Errorf("instruments of the clickhouse_rollup exporter: %w", errs)
	}
	return &b, nil
}

// Report tells the values of an observable instrument.
type Report func(observe func(v int64, opts ...metric.ObserveOption))

// Reports are those of the observable instruments.
type Reports struct {
	OverCap, LeftOut, DeadLetters, DeadLetterBytes, BatchIDs Report
}

// Observe registers the callback that reports. The registration must be undone at
// shutdown.
func (b *TelemetryBuilder) Observe(r Reports) (metric.Registration, error) {
	return b.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, of := range []struct {
			instrument metric.Int64Observable
			report     Report
		}{
			{b.ExporterClickhouseRollupOverCap, r.OverCap},
			{b.ExporterClickhouseRollupLeftOut, r.LeftOut},
			{b.ExporterClickhouseRollupDeadLetters, r.DeadLetters},
			{b.ExporterClickhouseRollupDeadLetterBytes, r.DeadLetterBytes},
			{b.ExporterClickhouseRollupBatchIDs, r.BatchIDs},
		} {
			of.report(func(v int64, opts ...metric.ObserveOption) { o.ObserveInt64(of.instrument, v, opts...) })
		}
		return nil
	}, b.ExporterClickhouseRollupOverCap, b.ExporterClickhouseRollupLeftOut,
		b.ExporterClickhouseRollupDeadLetters, b.ExporterClickhouseRollupDeadLetterBytes, b.ExporterClickhouseRollupBatchIDs)
}
