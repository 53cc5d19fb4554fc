package clickhouserollupexporter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/exporter/clickhouserollupexporter/internal/metadata"
	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/ledger"
)

// errStopping ends the retries of a unit when the collector stops.
var errStopping = errors.New("the collector is stopping and the store is away: not stored")

// inserter stores units, several at a time.
type inserter struct {
	units     *units
	store     *store
	retry     configretry.BackOffConfig
	breaker   *breaker
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	// report tells the collector how the store is: nil when an insert
	// succeeded, else why not.
	report func(error)
	// failing tells senders that waited in vain what for.
	failing failures

	// log is where units are written down, and letters where what the store
	// refuses goes. Both are nil with a queue in memory: then nothing outlives the
	// sender's wait, who is told.
	log     *unitLog
	letters deadLetters
	// counted counts what becomes of items; nil without a ledger.
	counted ledger.Ledger
	// refuses says whether an error is for good.
	refuses func(error) bool

	encoders sync.Pool     // of *columns.Encoder
	stopping chan struct{} // closed when retries must end
}

// run stores units until ctx is done, at most inFlight at a time.
func (in *inserter) run(ctx context.Context, inFlight int) {
	slots := make(chan struct{}, inFlight)
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		u := in.units.next(ctx)
		if u == nil {
			return
		}
		wg.Go(func() {
			u.finish(in.storeUnit(ctx, u))
			<-slots
		})
	}
}

// storeUnit writes a unit down, inserts it into its tables, and gives nil when all
// of it is stored or, where it outlives its senders, among the dead letters. A
// permanent error is marked as such for the pipeline.
func (in *inserter) storeUnit(ctx context.Context, u *unit) error {
	in.telemetry.ExporterClickhouseRollupUnitRows.Record(ctx, int64(u.rows))
	if in.log == nil {
		return in.insertUnit(ctx, u)
	}
	if u.log == nil {
		record := u.record()
		if err := in.persist(ctx, func() error { return in.log.plan(ctx, record) }); err != nil {
			return err
		}
		u.log = record
	}
	if err := in.insertUnit(ctx, u); err != nil {
		if refused := new(refusal); errors.As(err, &refused) {
			return in.isolate(ctx, u, refused)
		}
		return err
	}
	done := in.countStored(ctx, u)
	return in.persist(ctx, func() error { return in.log.done(done, u.log) })
}

// persist repeats a change of the unit log or the dead letters until it is done. A
// unit whose rows may be in the store must not be given back to the queue: it
// would be put into others.
func (in *inserter) persist(ctx context.Context, change func() error) error {
	for {
		err := change()
		if err == nil {
			return nil
		}
		in.logger.Error("What becomes of a unit cannot be written down. Trying again.", zap.Error(err))
		select {
		case <-time.After(in.retry.MaxInterval):
		case <-in.stopping:
			return errors.Join(errStopping, err)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// rawTables hold the records; the others are derived from them.
var rawTables = []string{"requests", "spans", "events"}

// refusal says that the store took a unit in part or not at all, for good.
type refusal struct {
	// tables have not taken it: of those with records the ones that refused, and all
	// that are derived. Nil means all.
	tables []string
	reason error
}

func (r *refusal) Error() string { return r.reason.Error() }
func (r *refusal) Unwrap() error { return r.reason }

// insertUnit inserts a unit into its tables: first the records, then what is derived
// from them, so that a record that is refused is not counted either. The error is a
// *refusal if that is all that went wrong.
func (in *inserter) insertUnit(ctx context.Context, u *unit) error {
	e, ok := in.encoders.Get().(*columns.Encoder)
	if !ok {
		e = &columns.Encoder{}
	}
	inserts, err := e.Unit(u.id, u.parts())
	if err != nil {
		return &refusal{reason: consumererror.NewPermanent(err)}
	}
	var raw, derived []columns.Insert
	for _, ins := range inserts {
		switch {
		case !u.has(ins.Table):
		case slices.Contains(rawTables, ins.Table):
			raw = append(raw, ins)
		default:
			derived = append(derived, ins)
		}
	}
	var failures atomic.Int32
	err = in.insertAll(ctx, raw, &failures)
	if err == nil {
		err = in.insertAll(ctx, derived, &failures)
	} else if refused := new(refusal); errors.As(err, &refused) {
		for _, ins := range derived {
			refused.tables = append(refused.tables, ins.Table)
		}
	}
	// The HTTP client may still be reading the body of a request that failed, so
	// bytes that met a failure are not used again for another unit.
	if failures.Load() == 0 {
		in.encoders.Put(e)
	}
	return err
}

// insertAll inserts into several tables at a time.
func (in *inserter) insertAll(ctx context.Context, inserts []columns.Insert, failures *atomic.Int32) error {
	var wg sync.WaitGroup
	errs := make([]error, len(inserts))
	for i, ins := range inserts {
		wg.Go(func() { errs[i] = in.insertUntilStored(ctx, ins, failures) })
	}
	wg.Wait()
	err := errors.Join(errs...)
	var tables []string
	for i, ins := range inserts {
		switch {
		case consumererror.IsPermanent(errs[i]):
			tables = append(tables, ins.Table)
		case errs[i] != nil:
			return err
		}
	}
	if tables != nil {
		return &refusal{tables: tables, reason: err}
	}
	return nil
}

// insertUntilStored repeats an insert until it is stored, fails for good, or may
// not be repeated any more. It counts the tries that failed.
func (in *inserter) insertUntilStored(ctx context.Context, ins columns.Insert, failures *atomic.Int32) error {
	started := time.Now()
	defer in.failing.set(ins.Table, nil)
	var last error
	for {
		probe, err := in.breaker.turn(ctx, in.stopping)
		if err != nil {
			return errors.Join(err, last)
		}
		err = in.try(ctx, ins)
		if err == nil || in.refuses(err) {
			in.breaker.succeeded() // the store is there and answers
		} else {
			in.breaker.failed()
		}
		if probe {
			in.breaker.probed()
		}
		if err == nil {
			in.report(nil)
			return nil
		}
		failures.Add(1)
		in.report(err)
		err = fmt.Errorf("inserting into %s: %w", ins.Table, err)
		last = err
		in.failing.set(ins.Table, err)
		if in.refuses(err) {
			return consumererror.NewPermanent(err)
		}
		if !in.retry.Enabled {
			return err
		}
		if limit := in.retry.MaxElapsedTime; limit > 0 && time.Since(started) > limit {
			return fmt.Errorf("given up after retry_on_failure::max_elapsed_time: %w", err)
		}
		in.logger.Warn("The store did not take a unit. Trying again.", zap.Error(err))
	}
}

// try makes the schema ready and inserts once.
func (in *inserter) try(ctx context.Context, ins columns.Insert) error {
	if err := in.store.ensureSchema(ctx); err != nil {
		return err
	}
	attrs := attribute.String("table", ins.Table)
	started := time.Now()
	err := in.store.insert(ctx, ins.Table, ins.Columns, ins.Token, ins.Body)
	in.telemetry.ExporterClickhouseRollupInsertDuration.Record(ctx, time.Since(started).Seconds(), metric.WithAttributes(attrs))
	if err != nil {
		in.telemetry.ExporterClickhouseRollupInsertFailures.Add(ctx, 1, metric.WithAttributes(attrs, attribute.Int("code", errorCode(err))))
		if schemaGone(err) {
			in.store.forgetSchema()
		}
	}
	return err
}
