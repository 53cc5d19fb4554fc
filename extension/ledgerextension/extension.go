package ledgerextension

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/extension/ledgerextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/admin"
	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/ledger"
)

// sourceKey holds the number under which this ledger's rows are in the table.
const sourceKey = "source"

// ledgerExtension is the extension. Its Book is what components count with.
type ledgerExtension struct {
	*ledger.Book
	config   *Config
	settings extension.Settings

	client    storage.Client
	table     *table
	telemetry *metadata.TelemetryBuilder
	remove    func() // takes the handler from the admin socket

	flushing sync.Mutex // one flush at a time
	failing  bool       // the last write to the table failed
	stop     context.CancelFunc
	stopped  sync.WaitGroup
}

var (
	_ ledger.Ledger                   = (*ledgerExtension)(nil)
	_ extensioncapabilities.Dependent = (*ledgerExtension)(nil)
)

func newExtension(set extension.Settings, cfg *Config) *ledgerExtension {
	return &ledgerExtension{config: cfg, settings: set}
}

// Dependencies says that the storage starts first and stops last.
func (e *ledgerExtension) Dependencies() []component.ID { return []component.ID{*e.config.Storage} }

// Start reads the ledger from the journal. It does not ask the store.
func (e *ledgerExtension) Start(ctx context.Context, host component.Host) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Shutdown(ctx))
		}
	}()
	if err := e.open(ctx, host); err != nil {
		return err
	}
	if e.telemetry, err = metadata.NewTelemetryBuilder(e.settings.TelemetrySettings); err != nil {
		return err
	}
	if err := e.telemetry.Observe(func() metadata.Observation {
		s := e.Stats()
		return metadata.Observation{Rows: s.Rows, Bytes: s.Bytes, Coarsened: s.Coarsened}
	}); err != nil {
		return err
	}
	if registrar := admin.Find(host); registrar != nil {
		if e.remove, err = registrar.Handle("POST /ledger/flush", http.HandlerFunc(e.serveFlush)); err != nil {
			return err
		}
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	e.stopped.Go(func() { e.run(run) })
	return nil
}

func (e *ledgerExtension) open(ctx context.Context, host component.Host) error {
	ext, ok := host.GetExtensions()[*e.config.Storage].(storage.Extension)
	if !ok {
		return fmt.Errorf("storage: there is no storage extension %q under service::extensions", e.config.Storage)
	}
	var err error
	if e.client, err = ext.GetClient(ctx, component.KindExtension, e.settings.ID, ""); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	client, ok := e.client.(alongside.Client)
	if !ok {
		return fmt.Errorf("storage: extension %q cannot keep counts together with what they count: use journal_storage", e.config.Storage)
	}
	if e.Book, err = ledger.OpenBook(ctx, client, e.config.MaxBytes); err != nil {
		return err
	}
	source, err := readSource(ctx, e.client)
	if err != nil {
		return err
	}
	http, err := e.config.ClickHouse.ToClient(ctx, host.GetExtensions(), e.settings.TelemetrySettings)
	if err != nil {
		return fmt.Errorf("clickhouse: %w", err)
	}
	e.table = newTable(e.config, http, source)
	return nil
}

// readSource gives the ledger's number, which is made with the journal.
func readSource(ctx context.Context, client storage.Client) (uint64, error) {
	value, err := client.Get(ctx, sourceKey)
	if err != nil {
		return 0, fmt.Errorf("storage: %w", err)
	}
	if len(value) == 8 {
		return binary.LittleEndian.Uint64(value), nil
	}
	source := rand.Uint64()
	if err := client.Set(ctx, sourceKey, binary.LittleEndian.AppendUint64(nil, source)); err != nil {
		return 0, fmt.Errorf("storage: %w", err)
	}
	return source, nil
}

func (e *ledgerExtension) run(ctx context.Context) {
	tick := time.NewTicker(e.config.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := e.flush(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil && !e.failing:
			e.settings.Logger.Warn("The delivery ledger is not written to the store; it is kept in the journal until it can be", zap.Error(err))
		case err == nil && e.failing:
			e.settings.Logger.Info("The delivery ledger is written to the store again")
		}
		e.failing = err != nil
	}
}

// flush makes all counts durable and writes those that the table does not have.
func (e *ledgerExtension) flush(ctx context.Context) error {
	e.flushing.Lock()
	defer e.flushing.Unlock()
	rows, err := e.Unwritten(ctx)
	if err == nil && len(rows) > 0 {
		if err = e.table.write(ctx, rows); err != nil {
			e.telemetry.LedgerWriteFailures.Add(ctx, 1)
		}
	}
	if err != nil {
		return err
	}
	return e.Written(ctx, rows)
}

// serveFlush writes the ledger now, so that a reader of the table sees all of it.
func (e *ledgerExtension) serveFlush(w http.ResponseWriter, r *http.Request) {
	if err := e.flush(r.Context()); err != nil {
		admin.WriteError(w, http.StatusServiceUnavailable, fmt.Errorf("the delivery ledger is not written to the store: %w", err))
		return
	}
	admin.WriteJSON(w, http.StatusOK, struct{}{})
}

// shutdownTimeout bounds the last write to the table; what it does not write stays
// in the journal.
const shutdownTimeout = 5 * time.Second

// Shutdown writes what is not yet written.
func (e *ledgerExtension) Shutdown(ctx context.Context) error {
	if e.stop != nil {
		e.stop()
		e.stopped.Wait()
		e.stop = nil
		last, cancel := context.WithTimeout(ctx, shutdownTimeout)
		if err := e.flush(last); err != nil {
			e.settings.Logger.Info("The last counts of the delivery ledger wait in the journal", zap.Error(err))
		}
		cancel()
	}
	if e.remove != nil {
		e.remove()
		e.remove = nil
	}
	var errs []error
	if e.telemetry != nil {
		errs = append(errs, e.telemetry.Shutdown())
		e.telemetry = nil
	}
	if e.table != nil {
		e.table.http.CloseIdleConnections()
	}
	if e.client != nil {
		errs = append(errs, e.client.Close(ctx))
		e.client = nil
	}
	return errors.Join(errs...)
}
