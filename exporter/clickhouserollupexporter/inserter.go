package clickhouserollupexporter

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/cenkalti/backoff/v7"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/exporter/clickhouserollupexporter/internal/metadata"
)

// errStopping ends the retries of a unit when the collector stops.
var errStopping = errors.New("the collector is stopping and the store is away: not stored")

// inserter stores units, several at a time.
type inserter struct {
	units     *units
	store     *store
	retry     configretry.BackOffConfig
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	// report tells the collector how the store is: nil when an insert
	// succeeded, else why not.
	report func(error)
	// failing tells senders that waited in vain what for.
	failing failures

	encoders sync.Pool     // of *encoder
	stopping chan struct{} // closed when retries must end
}

// encoder holds what one unit is encoded with: the columns of the tables and the
// bytes made of them. Both are reused.
type encoder struct {
	blocks [tableCount]*block
	bufs   [tableCount]proto.Buffer
}

func newEncoder() *encoder {
	e := &encoder{}
	for t := range tableCount {
		e.blocks[t] = newBlock(t)
	}
	return e
}

// insert is one INSERT of a unit: the same bytes and token at every try.
type insert struct {
	table          table
	columns, token string
	block          []byte
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
			u.done(in.storeUnit(ctx, u))
			<-slots
		})
	}
}

// storeUnit inserts a unit into its tables and gives nil when all of it is
// stored. A permanent error is marked as such for the pipeline.
func (in *inserter) storeUnit(ctx context.Context, u *unit) error {
	in.telemetry.ExporterClickhouseRollupUnitRows.Record(ctx, int64(u.rows))
	e, ok := in.encoders.Get().(*encoder)
	if !ok {
		e = newEncoder()
	}
	inserts, err := e.inserts(u)
	if err != nil {
		return consumererror.NewPermanent(err)
	}
	var wg sync.WaitGroup
	var failures atomic.Int32
	errs := make([]error, len(inserts))
	for i, ins := range inserts {
		wg.Go(func() { errs[i] = in.insertUntilStored(ctx, ins, &failures) })
	}
	wg.Wait()
	// The HTTP client may still be reading the body of a request that failed, so
	// bytes that met a failure are not used again for another unit.
	if failures.Load() == 0 {
		in.encoders.Put(e)
	}
	return errors.Join(errs...)
}

// inserts encodes the unit. The blocks are valid until the encoder's next unit.
func (e *encoder) inserts(u *unit) ([]insert, error) {
	var out []insert
	for t, rows := range u.byTable() {
		if len(rows) == 0 {
			continue
		}
		t, buf := table(t), &e.bufs[t]
		buf.Reset()
		if err := e.blocks[t].encode(buf, rows); err != nil {
			return nil, fmt.Errorf("unit %016x, table %s: %w", u.id, t, err)
		}
		out = append(out, insert{table: t, columns: e.blocks[t].names(), token: u.token(t), block: buf.Buf})
	}
	return out, nil
}

// insertUntilStored repeats an insert until it is stored, fails for good, or may
// not be repeated any more. It counts the tries that failed.
func (in *inserter) insertUntilStored(ctx context.Context, ins insert, failures *atomic.Int32) error {
	wait := backoff.ExponentialBackOff{
		InitialInterval:     in.retry.InitialInterval,
		RandomizationFactor: in.retry.RandomizationFactor,
		Multiplier:          in.retry.Multiplier,
		MaxInterval:         in.retry.MaxInterval,
	}
	wait.Reset()
	started := time.Now()
	defer in.failing.set(ins.table, nil)
	for {
		err := in.try(ctx, ins)
		if err == nil {
			in.report(nil)
			return nil
		}
		failures.Add(1)
		in.report(err)
		err = fmt.Errorf("inserting into %s: %w", ins.table, err)
		in.failing.set(ins.table, err)
		if permanent(err) {
			return consumererror.NewPermanent(err)
		}
		if !in.retry.Enabled {
			return err
		}
		pause := wait.NextBackOff()
		if limit := in.retry.MaxElapsedTime; limit > 0 && time.Since(started)+pause > limit {
			return fmt.Errorf("given up after retry_on_failure::max_elapsed_time: %w", err)
		}
		in.logger.Warn("The store did not take a unit. Trying again.", zap.Error(err), zap.Duration("interval", pause))
		select {
		case <-time.After(pause):
		case <-in.stopping:
			return errors.Join(errStopping, err)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// try makes the schema ready and inserts once.
func (in *inserter) try(ctx context.Context, ins insert) error {
	if err := in.store.ensureSchema(ctx); err != nil {
		return err
	}
	attrs := attribute.String("table", ins.table.String())
	started := time.Now()
	err := in.store.insert(ctx, ins.table, ins.columns, ins.token, ins.block)
	in.telemetry.ExporterClickhouseRollupInsertDuration.Record(ctx, time.Since(started).Seconds(), metric.WithAttributes(attrs))
	if err != nil {
		in.telemetry.ExporterClickhouseRollupInsertFailures.Add(ctx, 1, metric.WithAttributes(attrs, attribute.Int("code", errorCode(err))))
		if schemaGone(err) {
			in.store.forgetSchema()
		}
	}
	return err
}
