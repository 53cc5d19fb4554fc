package clickhouserollupexporter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/trackwayhq/trackway/internal/admin"
	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/batchindex"
	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/deadletter"
	"github.com/trackwayhq/trackway/internal/ledger"
	"github.com/trackwayhq/trackway/internal/record"
)

// register counts what an operator did while no collector ran, and offers what one
// may do on the collector's admin socket, if it has one.
func (e *rollupExporter) register(ctx context.Context, host component.Host) error {
	if e.letters == nil {
		return nil
	}
	if err := e.countDropped(ctx); err != nil {
		return err
	}
	registrar := admin.Find(host)
	if registrar == nil {
		return nil
	}
	remove, err := e.letters.Register(registrar, "/deadletter/"+e.set.ID.String(), deadletter.Actions{
		Replay:  e.replay,
		Dropped: func(ctx context.Context, d deadletter.Entry) error { return e.giveUp(ctx, d, "operator") },
	})
	if err != nil {
		return err
	}
	e.unregister = append(e.unregister, remove)
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /doubtful/" + e.set.ID.String():                e.serveDoubtful,
		"DELETE /doubtful/" + e.set.ID.String() + "/{unit}": e.forgetDoubtful,
	} {
		remove, err := registrar.Handle(pattern, h)
		if err != nil {
			return err
		}
		e.unregister = append(e.unregister, remove)
	}
	e.unregister = append(e.unregister,
		registrar.HandleErasure(e.set.ID.String()+" sending queue", e.drained),
		registrar.HandleErasure(e.set.ID.String()+" dead letters", e.eraseLetters))
	return nil
}

// serveDoubtful lists the units of which it is not known what the store has.
func (e *rollupExporter) serveDoubtful(w http.ResponseWriter, r *http.Request) {
	out := []json.RawMessage{}
	keys, err := e.storage.keysOf(func(key string) bool { return strings.HasPrefix(key, doubtfulPrefix) })
	for _, key := range keys {
		if err != nil {
			break
		}
		var value []byte
		if value, err = e.storage.Get(r.Context(), key); value != nil {
			out = append(out, value)
		}
	}
	if err != nil {
		admin.WriteError(w, http.StatusInternalServerError, err)
		return
	}
	admin.WriteJSON(w, http.StatusOK, out)
}

// forgetDoubtful is called when what is derived from a unit's rows was recounted.
func (e *rollupExporter) forgetDoubtful(w http.ResponseWriter, r *http.Request) {
	if err := e.storage.Delete(r.Context(), doubtfulPrefix+r.PathValue("unit")); err != nil {
		admin.WriteError(w, http.StatusInternalServerError, err)
		return
	}
	admin.WriteJSON(w, http.StatusOK, struct{}{})
}

// The parts of a dead letter's key in the index of batch ids: each thing is done to
// it once, even if a crash comes before it is removed.
const (
	replayedPart byte = 'r'
	givenUpPart  byte = 'g'
)

// replay offers a dead letter again. Its items count in the minute in which they
// were received.
func (e *rollupExporter) replay(ctx context.Context, d deadletter.Entry) error {
	b, err := replayable(d)
	if err != nil {
		return err
	}
	return e.once(ctx, d, replayedPart, func(changes []alongside.Change) error {
		changes = append(changes, e.settle(d, ledger.Settlement{DeadLetter: -d.Items})...)
		return e.offer(ctx, b, d.Minute, changes)
	})
}

// replayable gives the rows of a dead letter that are in no table.
func replayable(d deadletter.Entry) (*columns.Batch, error) {
	b, err := columns.Decode(d.Payload)
	if err != nil {
		return nil, fmt.Errorf("the payload cannot be read, so it can only be dropped: %w", err)
	}
	if d.Tables == nil {
		return b, nil
	}
	var rest columns.Batch
	rest.BeginItem(d.Project)
	rows := 0
	for _, p := range b.Parts() {
		records := p.Records()
		for i := range records {
			if slices.Contains(d.Tables, tableOf(records[i].Kind)) {
				rest.Append(&records[i])
				rows++
			}
		}
	}
	if rows == 0 {
		return nil, fmt.Errorf("the item is stored; what %s lacks is derived from it: run trackway doctor --repair, then drop it", d.Table)
	}
	return &rest, nil
}

func tableOf(kind record.Kind) string {
	switch kind {
	case record.Request:
		return "requests"
	case record.Span:
		return "spans"
	}
	return "events"
}

// giveUp counts a dead letter as dropped for a reason.
func (e *rollupExporter) giveUp(ctx context.Context, d deadletter.Entry, reason string) error {
	e.dropped(ctx, reason, d.Items)
	return e.once(ctx, d, givenUpPart, func(changes []alongside.Change) error {
		changes = append(changes, e.settle(d, ledger.Settlement{DeadLetter: -d.Items, Dropped: d.Items, Reason: reason})...)
		if len(changes) == 0 {
			return nil
		}
		ctx, _ := alongside.NewContext(ctx, changes...)
		return e.batchIDs.client.Batch(ctx, storage.SetOperation("note", nil))
	})
}

// countDropped counts what was dropped while no collector ran.
func (e *rollupExporter) countDropped(ctx context.Context) error {
	entries, err := e.letters.Uncounted()
	if err != nil {
		return err
	}
	for _, d := range entries {
		if err := e.giveUp(ctx, d, "operator"); err != nil {
			return err
		}
	}
	return e.letters.Counted()
}

// once does something to a dead letter unless it was done. do is given what has to
// be recorded with it.
func (e *rollupExporter) once(ctx context.Context, d deadletter.Entry, part byte, do func([]alongside.Change) error) error {
	if e.batchIDs == nil {
		return do(nil)
	}
	key := batchindex.KeyOf("", d.ID, part)
	_, done, err := e.batchIDs.index.Begin(ctx, key)
	if done || err != nil {
		return err
	}
	defer e.batchIDs.index.End(key)
	return do([]alongside.Change{e.batchIDs.index.Remember(key, nil)})
}

// settle counts a change of what became of a dead letter's items.
func (e *rollupExporter) settle(d deadletter.Entry, s ledger.Settlement) []alongside.Change {
	if e.inserter.counted == nil || d.Items == 0 || d.Project == "" {
		return nil
	}
	s.Project, s.Minute = d.Project, d.Minute
	return e.inserter.counted.Settled([]ledger.Settlement{s}, nil)
}

// eraseLetters gives up the dead letters that carry a key.
func (e *rollupExporter) eraseLetters(ctx context.Context, who admin.Erasure) (items int, err error) {
	list, err := e.letters.List()
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, l := range list {
		if l.Project != who.Project && l.Project != "" {
			continue
		}
		d, err := e.letters.Read(l.ID)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		carries, err := carries(d.Payload, who)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("dead letter %s cannot be read, and may hold it: drop it: %w", d.ID, err))
			continue
		case !carries:
			continue
		}
		if err := e.giveUp(ctx, d, "erased"); err != nil {
			return items, errors.Join(append(errs, err)...)
		}
		if _, err := e.letters.Remove(d.ID); err != nil {
			return items, errors.Join(append(errs, err)...)
		}
		items += d.Items
	}
	for _, damage := range e.letters.Damage() {
		errs = append(errs, &damage)
	}
	return items, errors.Join(errs...)
}

// carries says whether a payload holds a record with the key.
func carries(payload []byte, who admin.Erasure) (bool, error) {
	b, err := columns.Decode(payload)
	if err != nil {
		return false, err
	}
	for _, p := range b.Parts() {
		for _, r := range p.Records() {
			if value, ok := r.Correlation.Get(who.Key); ok && value == who.Value && r.Project == who.Project {
				return true, nil
			}
		}
	}
	return false, nil
}

// drainPoll is how often the queue is looked at while an erasure waits for it.
const drainPoll = 100 * time.Millisecond

// drained waits until what is in the queue now is in the store or among the dead
// letters: an item in the queue may be on its way to the store, so it is removed
// there. It removes nothing.
func (e *rollupExporter) drained(ctx context.Context, _ admin.Erasure) (int, error) {
	keys, err := e.storage.keysOf(isItemKey)
	if err != nil {
		return 0, err
	}
	for len(keys) > 0 {
		value, err := e.storage.Get(ctx, keys[0])
		switch {
		case err != nil:
			return 0, err
		case value == nil:
			keys = keys[1:]
			continue
		}
		select {
		case <-time.After(drainPoll):
		case <-ctx.Done():
			return 0, fmt.Errorf("%d deliveries wait in the sending queue and may hold it: repeat the erasure when the store takes them: %w", len(keys), ctx.Err())
		}
	}
	return 0, nil
}

// keysOf lists the keys that wanted selects.
func (s *queueStorage) keysOf(wanted func(string) bool) ([]string, error) {
	client, ok := s.Client.(alongside.Client)
	if !ok {
		return nil, errors.New("want a storage that lists its keys: use journal_storage")
	}
	return slices.DeleteFunc(client.Keys(), func(key string) bool { return !wanted(key) }), nil
}
