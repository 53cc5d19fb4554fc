package clickhouserollupexporter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/batchid"
	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/convert"
	"github.com/trackwayhq/trackway/internal/groupcommit"
	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/journal"
	"github.com/trackwayhq/trackway/internal/ledger"
)

// ConsumeTraces takes spans. It returns nil when they are durable in the queue or,
// with a queue in memory, in the store.
func (e *rollupExporter) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	of := senderBatch(ctx)
	src, release := e.ids.For(of.Name(), ids.Traces)
	defer release()
	return e.take(ctx, of, ids.Traces, func(b *columns.Batch) convert.Summary { return e.conv.AppendTraces(td, src, time.Now(), b) })
}

// ConsumeLogs takes log records. It returns nil when they are durable in the queue
// or, with a queue in memory, in the store.
func (e *rollupExporter) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	of := senderBatch(ctx)
	src, release := e.ids.For(of.Name(), ids.Logs)
	defer release()
	return e.take(ctx, of, ids.Logs, func(b *columns.Batch) convert.Summary { return e.conv.AppendLogs(ld, src, time.Now(), b) })
}

// take converts a delivery and has it accepted.
func (e *rollupExporter) take(ctx context.Context, of *batchid.Batch, signal ids.Signal, fill func(*columns.Batch) convert.Summary) error {
	b, ok := e.batches.Get().(*columns.Batch)
	if !ok {
		b = &columns.Batch{}
	}
	summary := fill(b)
	for _, reason := range convert.Reasons() {
		e.dropped(ctx, reason.String(), summary.Dropped[reason])
	}
	from := e.deliveryOf(ctx, b, &summary)
	from.batch = e.batchIDs.of(of, signal, b)
	if summary.Items == 0 {
		e.reuse(b)
		if summary.Dropped[convert.NoProject] > 0 {
			return consumererror.NewPermanent(status.Error(codes.FailedPrecondition,
				"no valid resource attribute trackway.project: put the project processor first in the pipeline"))
		}
		return nil
	}
	if size, limit := b.Size()+itemHead, e.maxDelivery(); int64(size) > limit {
		e.refused(ctx, "too_large")
		e.reuse(b)
		return consumererror.NewPermanent(status.Errorf(codes.InvalidArgument,
			"a delivery of %d bytes, encoded, can never be taken: the limit is %d (max_delivery_bytes, and sending_queue::queue_size): send smaller batches", size, limit))
	}
	if !e.cfg.durable() {
		return e.acceptInMemory(ctx, b)
	}
	known, err := e.batchIDs.begin(ctx, from)
	if known || err != nil {
		if known {
			from.tally.Dropped("repeated", summary.Items)
			e.dropped(ctx, "repeated", summary.Items)
		}
		e.reuse(b)
		return err
	}
	err = e.coalescer.add(ctx, b, from)
	if err == nil {
		from.tally.Offered(summary.Items)
	}
	if ctx.Err() == nil {
		e.reuse(b) // otherwise it may still be on its way, with others
	}
	return err
}

// dropped counts items that become no rows.
func (e *rollupExporter) dropped(ctx context.Context, reason string, n int) {
	if n > 0 {
		e.telemetry.ExporterClickhouseRollupDroppedItems.Add(ctx, int64(n), metric.WithAttributes(attribute.String("reason", reason)))
	}
}

// reuse keeps a batch's memory for another delivery.
func (e *rollupExporter) reuse(b *columns.Batch) {
	b.Reset()
	e.batches.Put(b)
}

// maxDelivery is the most bytes of a delivery.
func (e *rollupExporter) maxDelivery() int64 {
	limit := int64(e.cfg.MaxDeliveryBytes)
	if q := e.cfg.Queue.Get(); q != nil && q.Sizer == exporterhelper.RequestSizerTypeBytes {
		limit = min(limit, q.QueueSize)
	}
	return limit
}

// accept puts a batch into the queue and returns when it is durable there.
func (e *rollupExporter) accept(ctx context.Context, b *columns.Batch, from []*delivery) error {
	defer func() {
		for _, d := range from {
			e.batchIDs.end(d)
		}
	}()
	e.telemetry.ExporterClickhouseRollupItemDeliveries.Record(ctx, int64(len(from)))
	minute := ledger.Minute(time.Now())
	if err := e.offer(ctx, b, minute, e.offerChanges(b, minute, from)); err != nil {
		return err
	}
	if e.tail != nil && e.tail.Active() {
		for _, p := range b.Parts() {
			e.tail.Publish(p.Records())
		}
	}
	return nil
}

// offer puts a batch into the queue, with changes in the same record, and returns
// when all of it is durable.
func (e *rollupExporter) offer(ctx context.Context, b *columns.Batch, minute int64, changes []alongside.Change) error {
	req := &request{id: newDeliveryID(), items: b.Items(), minute: minute}
	req.data = appendItem(make([]byte, 0, itemHead+b.Size()), req.id, minute, b)
	req.size = len(req.data)
	offer := &offered{req: req}
	octx, ticket := groupcommit.WithTicket(context.WithValue(ctx, offeredKey{}, offer))
	if len(changes) > 0 {
		octx, _ = alongside.NewContext(octx, changes...)
	}
	err := e.queue.ConsumeTraces(context.WithValue(octx, requestKey{}, req), ptrace.Traces{})
	if err == nil {
		err = offer.err
	}
	if err == nil {
		err = ticket.Wait(ctx)
	}
	if err != nil {
		return e.refusal(ctx, req.size, err)
	}
	return nil
}

// acceptInMemory puts a batch into a queue in memory, and with wait_for_result
// returns when it is stored.
func (e *rollupExporter) acceptInMemory(ctx context.Context, b *columns.Batch) error {
	if q := e.cfg.Queue.Get(); q != nil && q.WaitForResult && errorCode(e.inserter.failing.last()) == codeNotEnoughSpace {
		return refuse(codes.Unavailable, noRoom, retryAfterNoRoom) // at once: nobody is to wait for what takes a person
	}
	req := &request{id: newDeliveryID(), items: b.Items(), size: b.Size() + itemHead, batch: b}
	err := e.queue.ConsumeTraces(context.WithValue(ctx, requestKey{}, req), ptrace.Traces{})
	if errors.Is(err, exporterhelper.ErrQueueIsFull) {
		return e.refusal(ctx, req.size, err)
	}
	if err != nil {
		return e.inserter.failing.explain(err, ctx.Err())
	}
	return nil
}

// refusal is what a sender is told whose delivery was not taken.
func (e *rollupExporter) refusal(ctx context.Context, size int, err error) error {
	switch {
	case errors.Is(err, exporterhelper.ErrQueueIsFull):
		e.refused(ctx, "queue_full")
		return refuse(codes.ResourceExhausted, "the sending queue is full: try again later", e.drain.retryAfter(size))
	case errors.Is(err, storage.ErrStorageFull):
		e.refused(ctx, "storage_full")
		return refuse(codes.Unavailable, "the journal has no room, within its limit or on its disk: try again later", max(e.drain.retryAfter(size), retryAfterNoRoom))
	case errors.Is(err, journal.ErrTooLarge):
		e.refused(ctx, "too_large")
		return consumererror.NewPermanent(status.Errorf(codes.InvalidArgument,
			"a delivery of %d bytes, encoded, does not fit the journal's segment_bytes: send smaller batches", size))
	}
	e.refused(ctx, "storage")
	return fmt.Errorf("sending queue: %w", err)
}

func (e *rollupExporter) refused(ctx context.Context, reason string) {
	e.telemetry.ExporterClickhouseRollupRefusedDeliveries.Add(ctx, 1, metric.WithAttributes(attribute.String("reason", reason)))
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
