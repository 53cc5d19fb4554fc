package clickhouserollupexporter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/trackwayhq/trackway/exporter/clickhouserollupexporter/internal/metadata"
	"github.com/trackwayhq/trackway/internal/batchid"
	"github.com/trackwayhq/trackway/internal/convert"
	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/livetail"
)

// retryAfter is what a sender is told to wait when the queue is full: about as
// long as a few units need.
const retryAfter = time.Second

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
		conv:      convert.New(convert.Options{TTLDays: cfg.TTLDays}),
		ids:       ids.NewGenerator(),
		units:     newUnits(cfg.Unit),
	}
	e.inserter = &inserter{
		units:     e.units,
		retry:     cfg.Retry,
		logger:    set.Logger,
		telemetry: telemetry,
		report:    e.reportStatus,
		stopping:  make(chan struct{}),
		store: &store{
			endpoint:     strings.TrimRight(cfg.ClickHouse.Endpoint, "/"),
			username:     cfg.Username,
			password:     string(cfg.Password),
			database:     cfg.Database,
			createSchema: cfg.CreateSchema,
		},
	}
	e.queue, err = xexporterhelper.NewTracesRequest(ctx, set,
		func(ctx context.Context, _ ptrace.Traces) (xexporterhelper.Request, error) {
			return ctx.Value(requestKey{}).(*request), nil
		},
		func(ctx context.Context, req xexporterhelper.Request) error { return e.push(ctx, req.(*request)) },
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		// Time limits and retries are those of an insert, not of a delivery: a
		// repeated delivery would get into another unit, under another token.
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{Timeout: 0}),
		xexporterhelper.WithQueueBatch(cfg.Queue, xexporterhelper.QueueBatchSettings{}),
	)
	if err != nil {
		return nil, fmt.Errorf("sending queue: %w", err)
	}
	return e, nil
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
	if q := e.cfg.Queue.Get(); q != nil && !q.WaitForResult {
		e.set.Logger.Warn("sending_queue::wait_for_result is off: what is answered is lost when the collector dies before it is stored")
	}
	e.registration, err = e.telemetry.ObserveOverCap(e.observeOverCap)
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	e.statusMu.Lock()
	e.host = host
	e.statusMu.Unlock()

	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	e.stopped.Go(func() { e.inserter.run(run, e.cfg.Unit.MaxInFlight) })
	return e.queue.Start(ctx, host)
}

// Shutdown stores what is queued, trying each unit once more at most.
func (e *rollupExporter) Shutdown(ctx context.Context) error {
	if e.stop == nil {
		return nil // never started
	}
	close(e.inserter.stopping)
	e.units.drain()
	err := e.queue.Shutdown(ctx)
	e.stop()
	e.stopped.Wait()
	if e.inserter.store.client != nil {
		e.inserter.store.client.CloseIdleConnections()
	}
	return errors.Join(err, e.registration.Unregister())
}

// ConsumeTraces stores spans. It returns nil when they are in the store.
func (e *rollupExporter) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	src, release := e.ids.For(batchid.FromContext(ctx), ids.Traces)
	batch := e.conv.Traces(td, src, time.Now())
	release()
	return e.offer(ctx, batch)
}

// ConsumeLogs stores log records. It returns nil when they are in the store.
func (e *rollupExporter) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	src, release := e.ids.For(batchid.FromContext(ctx), ids.Logs)
	batch := e.conv.Logs(ld, src, time.Now())
	release()
	return e.offer(ctx, batch)
}

func (e *rollupExporter) offer(ctx context.Context, batch convert.Batch) error {
	for _, reason := range convert.Reasons() {
		if n := batch.Dropped[reason]; n > 0 {
			e.telemetry.ExporterClickhouseRollupDroppedItems.Add(ctx, int64(n),
				metric.WithAttributes(attribute.String("reason", reason.String())))
		}
	}
	if len(batch.Records) == 0 {
		if batch.Dropped[convert.NoProject] > 0 {
			return consumererror.NewPermanent(status.Error(codes.FailedPrecondition,
				"no valid resource attribute trackway.project: put the project processor first in the pipeline"))
		}
		return nil
	}
	if limit := e.queueBytes(); limit > 0 && int64(batch.Bytes) > limit {
		return consumererror.NewPermanent(status.Errorf(codes.InvalidArgument,
			"a delivery of %d bytes in memory can never fit the queue of %d (sending_queue::queue_size): send smaller batches", batch.Bytes, limit))
	}
	if q := e.cfg.Queue.Get(); q != nil && q.WaitForResult && errorCode(e.inserter.failing.last()) == codeNotEnoughSpace {
		return refuse(codes.Unavailable, noRoom, retryAfterNoRoom) // at once: nobody is to wait for what takes a person
	}
	req := newRequest(batch.Records, batch.Items, batch.Bytes)
	err := e.queue.ConsumeTraces(context.WithValue(ctx, requestKey{}, req), ptrace.Traces{})
	if errors.Is(err, exporterhelper.ErrQueueIsFull) {
		return refuse(codes.ResourceExhausted, "the sending queue is full: try again later", retryAfter)
	}
	if err != nil {
		return e.inserter.failing.explain(err, ctx.Err())
	}
	return nil
}

// queueBytes is the queue's capacity in bytes, 0 when it does not count bytes.
func (e *rollupExporter) queueBytes() int64 {
	if q := e.cfg.Queue.Get(); q != nil && q.Sizer == exporterhelper.RequestSizerTypeBytes {
		return q.QueueSize
	}
	return 0
}

// refuse is the error that receivers turn into 429 or 503 with Retry-After, and
// gRPC into its code with RetryInfo.
func refuse(code codes.Code, text string, wait time.Duration) error {
	st := status.New(code, text)
	if with, err := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(wait)}); err == nil {
		st = with
	}
	return st.Err()
}

// push is called by a queue consumer. It returns when the request is stored.
func (e *rollupExporter) push(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err // the sender has gone, was told so, and will send again
	}
	if e.tail != nil && e.tail.Active() {
		e.tail.Publish(r.records)
	}
	e.units.add(r)
	select {
	case <-r.done:
		return r.result()
	case <-ctx.Done():
		if e.units.withdraw(r) {
			return ctx.Err()
		}
	}
	<-r.done // sent already: it counts against the queue until it is over
	return r.result()
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

func (e *rollupExporter) observeOverCap(observe func(int64, ...metric.ObserveOption)) {
	for i, n := range e.conv.OverCap() {
		observe(int64(n), metric.WithAttributes(attribute.String("column", convert.FieldNames[i])))
	}
}
