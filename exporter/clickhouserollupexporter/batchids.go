package clickhouserollupexporter

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/batchid"
	"github.com/trackwayhq/trackway/internal/batchindex"
	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/ids"
)

// keepInterval is how often old batch ids are looked for.
const keepInterval = time.Minute

// batchIDs lets a batch that is sent again under its id count once. The nil one
// remembers nothing.
type batchIDs struct {
	index  *batchindex.Index
	client storage.Client
}

// batch is a delivery's batch, as far as one signal is concerned: the traces and the
// logs of a batch are taken one after the other.
type batch struct {
	key batchindex.Key
	of  *batchid.Batch
}

// openBatchIDs opens the index beside the queue in its storage.
func (e *rollupExporter) openBatchIDs(ctx context.Context, host component.Host) (*batchIDs, error) {
	ext, ok := host.GetExtensions()[*e.cfg.Queue.Get().StorageID].(storage.Extension)
	if !ok {
		return nil, nil // the queue says what is wrong
	}
	// Its keys are no queue's, so nothing of it is held back for a recovery.
	opened, err := ext.GetClient(ctx, component.KindExtension, e.set.ID, "batch_ids")
	if err != nil {
		return nil, err
	}
	client, ok := opened.(alongside.Client)
	if !ok {
		e.set.Logger.Warn("Batches that are sent again are not recognised: sending_queue::storage is not a journal_storage extension")
		return nil, opened.Close(ctx)
	}
	index, err := batchindex.Open(ctx, client, batchindex.Options{MaxIDs: e.cfg.BatchIDs.MaxIDs, Remember: e.cfg.BatchIDs.Remember})
	if err != nil {
		return nil, err
	}
	return &batchIDs{index: index, client: opened}, nil
}

// keep forgets old ids now and then, until ctx is done.
func (b *batchIDs) keep(ctx context.Context, logger *zap.Logger) {
	tick := time.NewTicker(keepInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := b.index.Keep(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("Old batch ids are not forgotten", zap.Error(err))
		}
	}
}

func (b *batchIDs) close(ctx context.Context) error {
	if b == nil {
		return nil
	}
	return b.client.Close(ctx)
}

// senderBatch gives the batch that is being delivered: as a receiver of ours says, or
// as the request's headers do where a receiver keeps them (include_metadata).
func senderBatch(ctx context.Context) *batchid.Batch {
	if b := batchid.Of(ctx); b != nil && b.ID != "" {
		return b
	}
	if values := client.FromContext(ctx).Metadata.Get(batchid.Header); len(values) == 1 && values[0] != "" && len(values[0]) <= batchid.MaxLen {
		return &batchid.Batch{ID: values[0]}
	}
	return nil
}

// of gives the key of the batch that is being delivered, nil if it has no id.
func (b *batchIDs) of(of *batchid.Batch, signal ids.Signal, rows *columns.Batch) *batch {
	if b == nil || of == nil {
		return nil
	}
	project := ""
	rows.ItemsByProject(func(p string, _ int) { project = p })
	return &batch{key: batchindex.KeyOf(project, of.ID, byte(signal)), of: of}
}

// begin says whether the delivery's batch was taken before; it waits while the same
// batch is being taken. Unless it was, end must be called.
func (b *batchIDs) begin(ctx context.Context, d *delivery) (known bool, err error) {
	if b == nil || d.batch == nil {
		return false, nil
	}
	answer, known, err := b.index.Begin(ctx, d.batch.key)
	if known {
		d.batch.of.Repeats(answer)
	}
	return known, err
}

func (b *batchIDs) end(d *delivery) {
	if b != nil && d.batch != nil {
		b.index.End(d.batch.key)
	}
}

// changes remember the delivery's batch, in the record of the offer.
func (b *batchIDs) changes(d *delivery) []alongside.Change {
	if b == nil || d.batch == nil {
		return nil
	}
	answer := d.batch.of.Answer
	if len(answer) > batchid.MaxAnswer {
		answer = nil // a receiver's mistake; the batch counts once all the same
	}
	return []alongside.Change{b.index.Remember(d.batch.key, answer)}
}
