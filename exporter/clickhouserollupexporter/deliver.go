package clickhouserollupexporter

import (
	"context"
	"errors"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/deadletter"
)

// push is called by a queue consumer. It returns when the request is stored.
func (e *rollupExporter) push(ctx context.Context, r *request) error {
	if !e.cfg.durable() {
		return e.pushFromMemory(ctx, r)
	}
	if n := e.waiting.Add(1); int(n) >= e.cfg.Queue.Get().NumConsumers {
		// Nothing more comes out of the queue before a unit is stored.
		e.units.press()
		defer e.units.release()
	}
	defer e.waiting.Add(-1)
	select {
	case <-e.inserter.stopping:
		return errStopping // it stays in the queue
	default:
	}
	err := e.deliver(r)
	if err == nil {
		e.drain.drained(r.size)
	}
	return err
}

// deliver puts what of the request is not yet in a unit into units, and waits until
// all of it is stored or among the dead letters. Its error is for good when the
// collector stops; else the request is not stored, and is in no unit.
func (e *rollupExporter) deliver(r *request) error {
	if r.hole {
		return nil
	}
	known := e.recovered.of(r.id)
	parts, err := e.parts(r, known)
	if err != nil {
		return e.buryUnreadable(r, err)
	}
	if len(parts) > 0 {
		if err := e.budget.take(e.running, r.size, func() { r.data, parts = nil, nil }); err != nil {
			return errors.Join(errStopping, err)
		}
		defer e.budget.give(r.size)
		if parts == nil {
			if r.data, err = e.storage.load(e.running, r.id); err != nil {
				return err
			}
			if parts, err = e.parts(r, known); err != nil {
				return e.buryUnreadable(r, err)
			}
		}
		r.expect(len(parts))
		e.units.add(r, parts)
		<-r.done
		err = r.result()
	}
	r.data = nil
	if known != nil {
		<-known.done
		err = errors.Join(err, e.recovered.result(known))
	}
	return err
}

// parts decodes the request and gives what of it is in no unit that was written
// down before a restart.
func (e *rollupExporter) parts(r *request, known *recoveredDelivery) ([]*columns.Part, error) {
	b, err := r.decode()
	if err != nil {
		return nil, err
	}
	parts := b.Parts()
	if known == nil {
		return parts, nil
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p *columns.Part) bool { return slices.Contains(known.windows, p.Window()) }), nil
}

// buryUnreadable writes a queue item that is damaged, or of another release, to
// the dead letters as it is.
func (e *rollupExporter) buryUnreadable(r *request, reason error) error {
	entry := deadletter.Entry{
		ID: "unreadable-" + r.id.String(), Time: e.now().UTC(), Reason: "queue item: " + reason.Error(), Items: r.items, Payload: r.data,
	}
	if r.unreadable != nil {
		entry.ID = "" // it has no name of its own
	}
	if err := e.inserter.persist(e.running, func() error { return e.inserter.letters.Write(entry) }); err != nil {
		return err
	}
	e.telemetry.ExporterClickhouseRollupUnreadableItems.Add(e.running, 1, metric.WithAttributes(attribute.String("reason", "damaged")))
	e.set.Logger.Error("An item of the sending queue cannot be read. It is kept among the dead letters.", zap.Error(reason), zap.Stringer("delivery", r.id))
	return nil
}

// pushFromMemory is push for a queue in memory.
func (e *rollupExporter) pushFromMemory(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err // the sender has gone, was told so, and will send again
	}
	parts := r.batch.Parts()
	if e.tail != nil && e.tail.Active() {
		for _, p := range parts {
			e.tail.Publish(p.Records())
		}
	}
	r.expect(len(parts))
	e.units.add(r, parts)
	select {
	case <-r.done:
		e.drain.drained(r.size)
		return r.result()
	case <-ctx.Done():
		if e.units.withdraw(r) {
			return ctx.Err()
		}
	}
	<-r.done // sent already: it counts against the queue until it is over
	e.drain.drained(r.size)
	return r.result()
}
