package clickhouserollupexporter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/trackwayhq/trackway/exporter/clickhouserollupexporter/internal/metadata"
	"github.com/trackwayhq/trackway/internal/convert"
	"github.com/trackwayhq/trackway/internal/deadletter"
	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/livetail"
	"github.com/trackwayhq/trackway/internal/retention"
)

// retryAfterNoRoom is what a sender is told to wait while the store has no room:
// about as long as the pause between two tries of a unit.
const retryAfterNoRoom = 5 * time.Second

// rollupExporter takes the traces and the logs of all pipelines it stands in.
type rollupExporter struct {
	cfg       *Config
	set       exporter.Settings
	telemetry *metadata.TelemetryBuilder
	conv      *convert.Converter
	ids       *ids.Generator
	units     *units
	inserter  *inserter
	drain     *drain
	now       func() time.Time
	batches   sync.Pool // of *columns.Batch

	// Of a queue on disk only.
	coalescer *coalescer
	storage   *queueStorage
	log       *unitLog
	recovered *recovered
	budget    *budget
	letters   *deadletter.Store
	batchIDs  *batchIDs
	// unregister takes what the admin socket offers away again.
	unregister []func()
	waiting    atomic.Int32 // requests that consumers hold
	running    context.Context

	// queue is the helper's queue and observability. It is one for both signals:
	// what goes through it are our requests, handed over in the context.
	queue exporter.Traces

	tail         livetail.Publisher // nil when none is configured
	registration metric.Registration
	stop         context.CancelFunc
	stopped      sync.WaitGroup

	statusMu sync.Mutex
	host     component.Host
	last     componentstatus.Status
}

type requestKey struct{}

func newExporter(ctx context.Context, set exporter.Settings, cfg *Config) (*rollupExporter, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	e := &rollupExporter{
		cfg:       cfg,
		set:       set,
		telemetry: telemetry,
		conv:      convert.New(convert.Options{TTLDays: cfg.TTLDays, Limits: cfg.Limits}), // Start adds those of projects
		ids:       ids.NewGenerator(),
		units:     newUnits(cfg.Unit),
		drain:     newDrain(cfg.RetryAfter),
		now:       time.Now,
	}
	e.inserter = &inserter{
		units:     e.units,
		retry:     cfg.Retry,
		breaker:   newBreaker(cfg.Retry),
		refuses:   permanent,
		logger:    set.Logger,
		telemetry: telemetry,
		report:    e.reportStatus,
		stopping:  make(chan struct{}),
		store: &store{
			endpoint:     strings.TrimRight(cfg.ClickHouse.Endpoint, "/"),
			username:     cfg.Username,
			password:     string(cfg.Password),
			database:     cfg.Database,
			cluster:      cfg.Cluster,
			createSchema: cfg.CreateSchema,
		},
	}
	options := []exporterhelper.Option{
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		// Time limits and retries are those of an insert, not of a delivery: a
		// repeated delivery would get into another unit, under another token.
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{Timeout: 0}),
		xexporterhelper.WithQueueBatch(cfg.Queue, xexporterhelper.QueueBatchSettings{Encoding: encoding{absent: e.absent}}),
	}
	if cfg.durable() {
		e.makeDurable()
		// What push could not do is done again by the next collector: only the
		// helper's retries leave an item in the queue when it stops.
		options = append(options, exporterhelper.WithRetry(cfg.Retry))
		set.Logger = set.Logger.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core { return quietCore{c, e.inserter.stopping} }))
	}
	e.queue, err = xexporterhelper.NewTracesRequest(ctx, set,
		func(ctx context.Context, _ ptrace.Traces) (xexporterhelper.Request, error) {
			return ctx.Value(requestKey{}).(*request), nil
		},
		func(ctx context.Context, req xexporterhelper.Request) error { return e.push(ctx, req.(*request)) },
		options...,
	)
	if err != nil {
		return nil, fmt.Errorf("sending queue: %w", err)
	}
	return e, nil
}

// makeDurable sets up what a queue on disk needs.
func (e *rollupExporter) makeDurable() {
	e.log, e.recovered, e.storage = newUnitLog(), newRecovered(), newQueueStorage()
	e.budget = newBudget(e.cfg.Unit.MaxHeldBytes, e.units.press, e.units.release)
	e.coalescer = &coalescer{limits: e.cfg.Coalesce, accept: e.accept}
	e.inserter.log, e.inserter.refuses = e.log, dataFault
	e.storage.opened = func(ctx context.Context, client storage.Client) error {
		if err := e.log.open(ctx, client); err != nil {
			return err
		}
		return e.recovered.load(ctx, e.log, client, e.set.Logger)
	}
	e.storage.closing = e.log.flush
	e.storage.deleted = func(id deliveryID) {
		e.log.deleted(id)
		e.recovered.forget(id)
	}
}

// absent counts an item that the queue counted and its storage does not have.
func (e *rollupExporter) absent() {
	e.telemetry.ExporterClickhouseRollupUnreadableItems.Add(context.Background(), 1, metric.WithAttributes(attribute.String("reason", "absent")))
	e.set.Logger.Error("The sending queue counted an item that its storage does not have")
}

// Capabilities says that nothing is mutated.
func (e *rollupExporter) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: false}
}

// Start never fails because the store is away: it is first asked when there is
// something to store.
func (e *rollupExporter) Start(ctx context.Context, host component.Host) error {
	client, err := e.cfg.ClickHouse.ToClient(ctx, host.GetExtensions(), e.set.TelemetrySettings)
	if err != nil {
		return fmt.Errorf("clickhouse: %w", err)
	}
	e.inserter.store.client = client
	if e.cfg.LiveTail != nil {
		ext, ok := host.GetExtensions()[*e.cfg.LiveTail]
		if !ok {
			return fmt.Errorf("live_tail: there is no extension %q under service::extensions", e.cfg.LiveTail)
		}
		if e.tail, ok = ext.(livetail.Publisher); !ok {
			return fmt.Errorf("live_tail: extension %q is not a live_tail extension", e.cfg.LiveTail)
		}
	}
	if projects := retention.Find(host); projects != nil {
		e.conv = convert.New(convert.Options{TTLDays: e.cfg.TTLDays, Limits: e.cfg.Limits, ProjectTTLDays: projects.TTLDays})
	}
	if err := e.findLedger(host); err != nil {
		return err
	}
	if q := e.cfg.Queue.Get(); q != nil && !q.WaitForResult && q.StorageID == nil {
		e.set.Logger.Warn("sending_queue::wait_for_result is off: what is answered is lost when the collector dies before it is stored")
	}
	e.statusMu.Lock()
	e.host = host
	e.statusMu.Unlock()

	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.running, e.stop = run, stop
	queue := host
	if e.cfg.durable() {
		if e.letters, err = deadletter.Open(e.cfg.DeadLetter.Directory, e.cfg.DeadLetter.MaxBytes); err != nil {
			return fmt.Errorf("dead_letter::directory: %w", err)
		}
		e.inserter.letters = e.letters
		if e.batchIDs, err = e.openBatchIDs(ctx, host); err != nil {
			return fmt.Errorf("batch ids: %w", err)
		}
		queue = queueHost{Host: host, id: *e.cfg.Queue.Get().StorageID, storage: e.storage}
	}
	if e.registration, err = e.observe(); err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	if err := e.queue.Start(ctx, queue); err != nil {
		return err
	}
	if e.recovered != nil {
		for _, u := range e.recovered.units {
			e.units.push(u)
		}
		e.recovered.units = nil
	}
	e.stopped.Go(func() { e.inserter.run(run, e.cfg.Unit.MaxInFlight) })
	e.stopped.Go(func() { e.keepBudget(run) })
	if err := e.register(ctx, host); err != nil {
		return err
	}
	if e.batchIDs != nil {
		e.stopped.Go(func() { e.batchIDs.keep(run, e.set.Logger) })
	}
	return nil
}

// Shutdown stores what units hold, trying each once more at most. A queue on disk
// keeps the rest.
func (e *rollupExporter) Shutdown(ctx context.Context) error {
	if e.stop == nil {
		return nil // never started
	}
	for _, remove := range e.unregister {
		remove()
	}
	close(e.inserter.stopping)
	e.units.drain()
	err := e.queue.Shutdown(ctx)
	e.stop()
	e.stopped.Wait()
	if e.inserter.store.client != nil {
		e.inserter.store.client.CloseIdleConnections()
	}
	err = errors.Join(err, e.batchIDs.close(ctx))
	if e.letters != nil {
		err = errors.Join(err, e.letters.Close())
	}
	if e.registration != nil {
		err = errors.Join(err, e.registration.Unregister())
	}
	return err
}

// reportStatus tells the collector how the store is, when that changes.
func (e *rollupExporter) reportStatus(err error) {
	e.statusMu.Lock()
	defer e.statusMu.Unlock()
	if e.host == nil || e.last == componentstatus.StatusPermanentError {
		return
	}
	event := componentstatus.NewEvent(componentstatus.StatusOK)
	var mismatch *schemaMismatch
	switch {
	case errors.As(err, &mismatch):
		event = componentstatus.NewPermanentErrorEvent(err)
	case err != nil:
		event = componentstatus.NewRecoverableErrorEvent(err)
	}
	if e.last == event.Status() || e.last == componentstatus.StatusNone && err == nil {
		return
	}
	e.last = event.Status()
	componentstatus.ReportStatus(e.host, event)
}
