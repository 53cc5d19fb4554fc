package clickhouserollupexporter

import (
	"context"
	"errors"
	"sync/atomic"

	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"

	"github.com/trackwayhq/trackway/internal/columns"
)

// request is one item of the sending queue: a delivery, or several that were
// coalesced, and who waits for it.
type request struct {
	id    deliveryID
	items int
	// minute is that of the offer, since 1970.
	minute int64
	// size is the number of bytes that the queue counts.
	size int
	// data is the queue item's encoding. It is nil in a queue in memory, and while
	// the request waits for room among the units.
	data []byte
	// batch is what a queue in memory holds instead.
	batch *columns.Batch
	// hole is true for what the queue counted and the storage refused.
	hole bool
	// unreadable is why the data is no queue item.
	unreadable error

	// parts is how many units still have to store a part of the request.
	parts atomic.Int32
	err   atomic.Pointer[error] // the first failure
	done  chan struct{}         // closed when parts is 0
}

var _ xexporterhelper.Request = (*request)(nil)

// ItemsCount is the number of spans and log records.
func (r *request) ItemsCount() int { return r.items }

// BytesSize is what the request takes in the queue, encoded.
func (r *request) BytesSize() int { return r.size }

var errNoMerge = errors.New("the clickhouse_rollup exporter forms units itself: remove sending_queue::batch")

// MergeSplit is never asked for: the configuration refuses sending_queue::batch.
func (r *request) MergeSplit(context.Context, int, exporterhelper.RequestSizerType, xexporterhelper.Request) ([]xexporterhelper.Request, error) {
	return nil, errNoMerge
}

// decode gives the request's batch.
func (r *request) decode() (*columns.Batch, error) {
	switch {
	case r.unreadable != nil:
		return nil, r.unreadable
	case r.batch != nil:
		return r.batch, nil
	}
	return columns.Decode(r.data[itemHead:])
}

// expect makes the request wait for a number of parts, at least one.
func (r *request) expect(parts int) {
	r.err.Store(nil)
	r.parts.Store(int32(parts))
	r.done = make(chan struct{})
}

// partDone tells the request that one of its units was stored, or why not.
func (r *request) partDone(err error) {
	if err != nil {
		r.err.CompareAndSwap(nil, &err)
	}
	if r.parts.Add(-1) == 0 {
		close(r.done)
	}
}

// result is what became of the request; valid when done is closed.
func (r *request) result() error {
	if err := r.err.Load(); err != nil {
		return *err
	}
	return nil
}
