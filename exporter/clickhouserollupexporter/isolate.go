package clickhouserollupexporter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/deadletter"
)

// deadLetters is where what the store refuses for good is kept.
type deadLetters interface {
	// Write is durable when it returns. A known id changes nothing.
	Write(e deadletter.Entry) error
}

// isolate finds what of a unit some tables refuse for good: each half becomes a
// unit of its own, under a new token and for those tables only, until one item is
// left, which goes to the dead letters. The rest is stored.
func (in *inserter) isolate(ctx context.Context, u *unit, refused *refusal) error {
	a, b := u.halves(refused.tables)
	if b == nil {
		if err := in.bury(ctx, u, refused); err != nil {
			return err
		}
		done := in.countBuried(ctx, u, refused)
		return in.persist(ctx, func() error { return in.log.done(done, u.log) })
	}
	in.logger.Warn("The store refused a unit for good. Looking for the item at fault.",
		zap.Error(refused), zap.Int("rows", u.rows), zap.Strings("tables", refused.tables))
	a.log, b.log = a.record(), b.record()
	taken := in.countTaken(ctx, u, refused)
	if err := in.persist(ctx, func() error { return in.log.replace(taken, u.log, a.log, b.log) }); err != nil {
		return err
	}
	return errors.Join(in.storeUnit(ctx, a), in.storeUnit(ctx, b))
}

// bury writes the only item of a unit to the dead letters. It goes on until they
// have taken it, because the item was acknowledged.
func (in *inserter) bury(ctx context.Context, u *unit, refused *refusal) error {
	p := u.pieces[0]
	entry := deadletter.Entry{
		ID:     fmt.Sprintf("%s-%d-%x-%x", p.ref.delivery, u.window+windowBias, p.ref.path.len, p.ref.path.bits),
		Time:   time.Now().UTC(),
		Reason: refused.Error(),
		Code:   errorCode(refused),
		Unit:   u.id,
		Items:  p.part.Items(),
		Minute: p.minute,
	}
	if len(refused.tables) > 0 {
		entry.Table, entry.Tables = refused.tables[0], refused.tables
	}
	p.part.ItemsByProject(func(project string, _ int) { entry.Project = project })
	entry.Payload = p.part.AppendTo(nil)
	if err := in.persist(ctx, func() error { return in.letters.Write(entry) }); err != nil {
		return err
	}
	in.telemetry.ExporterClickhouseRollupDeadLetterItems.Add(ctx, int64(max(entry.Items, 1)),
		metric.WithAttributes(attribute.String("table", entry.Table), attribute.Int("code", entry.Code)))
	in.logger.Error("The store refuses an item for good. It is kept among the dead letters: see trackway deadletter list.",
		zap.Error(refused), zap.String("dead_letter", entry.ID), zap.String("project", entry.Project))
	return nil
}

// windowBias keeps the number of a window before 1970 free of its sign, which an
// id of a dead letter may not start a word with.
const windowBias = 1 << 32
