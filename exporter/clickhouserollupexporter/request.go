package clickhouserollupexporter

import (
	"context"
	"errors"
	"sync/atomic"

	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"

	"github.com/trackwayhq/trackway/internal/record"
)

// request is one delivery in the sending queue: the records of its items, and
// who waits for them.
type request struct {
	records []record.Record
	items   int
	bytes   int

	// parts is how many units still have to store a part of the request.
	parts atomic.Int32
	err   atomic.Pointer[error] // the first failure
	done  chan struct{}         // closed when parts is 0
}

var _ xexporterhelper.Request = (*request)(nil)

func newRequest(records []record.Record, items, bytes int) *request {
	return &request{records: records, items: items, bytes: bytes, done: make(chan struct{})}
}

// ItemsCount is the number of spans and log records.
func (r *request) ItemsCount() int { return r.items }

// BytesSize is what the records take in memory.
func (r *request) BytesSize() int { return r.bytes }

var errNoMerge = errors.New("the clickhouse_rollup exporter forms units itself: remove sending_queue::batch")

// MergeSplit is never asked for: the configuration refuses sending_queue::batch.
func (r *request) MergeSplit(context.Context, int, exporterhelper.RequestSizerType, xexporterhelper.Request) ([]xexporterhelper.Request, error) {
	return nil, errNoMerge
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
