package clickhouserollupexporter

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	diskbudget "github.com/trackwayhq/trackway/internal/schema/budget"
	"github.com/trackwayhq/trackway/internal/storelock"
)

// budgetInterval is how often the store is weighed: a disk fills in hours.
const budgetInterval = time.Minute

// keepBudget keeps the store within its disk budget until ctx ends. Of several
// collectors on one store, one at a time does it.
func (e *rollupExporter) keepBudget(ctx context.Context) {
	limit, err := diskbudget.ParseLimit(e.cfg.DiskBudget)
	if err != nil || limit.IsZero() {
		return // Validate has seen to errors
	}
	ticker := time.NewTicker(budgetInterval)
	defer ticker.Stop()
	for {
		e.applyBudget(ctx, limit)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// applyBudget drops what is too much. A store that is away is weighed the next
// time; one that has no tables yet has nothing to drop.
func (e *rollupExporter) applyBudget(ctx context.Context, limit diskbudget.Limit) {
	s := e.inserter.store
	client := &clickhouse.Client{URL: s.endpoint, User: s.username, Password: s.password, HTTP: s.client}
	plan, err := diskbudget.Apply(ctx, client.Query, s.options(), limit, func(d diskbudget.Drop) {
		e.telemetry.ExporterClickhouseRollupBudgetDroppedRows.Add(ctx, int64(d.Rows), metric.WithAttributes(attribute.String("table", d.Table)))
		e.set.Logger.Warn("Dropped a partition to keep disk_budget", zap.String("table", d.Table), zap.String("partition", d.Partition),
			zap.Uint64("rows", d.Rows), zap.Uint64("bytes", d.Bytes), zap.String("disk_budget", e.cfg.DiskBudget))
	})
	switch {
	case errors.Is(err, storelock.ErrHeld) || ctx.Err() != nil:
	case err != nil:
		e.set.Logger.Warn("The disk budget could not be kept; trying again", zap.Error(err), zap.Duration("in", budgetInterval))
	case plan.Short > 0:
		e.set.Logger.Warn("The store is over disk_budget with today's records alone", zap.Uint64("used", plan.Used), zap.Uint64("budget", plan.Limit))
	}
}
