package clickhouserollupexporter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/columns"
)

// recovered is what a restart found written down: the units that may be in the
// store already, put together again, and what of the queue's deliveries they and
// the units known to be stored hold. When the queue hands out such a delivery, that
// much of it must not go into another unit.
type recovered struct {
	mu         sync.Mutex
	deliveries map[deliveryID]*recoveredDelivery
	units      []*unit
}

// recoveredDelivery is a delivery of which a unit is written down.
type recoveredDelivery struct {
	windows []int64       // that are in units
	pending int           // units that are not yet stored
	done    chan struct{} // closed when pending is 0
	err     error
}

func newRecovered() *recovered { return &recovered{deliveries: map[deliveryID]*recoveredDelivery{}} }

// doubtfulPrefix begins the keys that name units whose minutes must be recounted,
// because what they hold in the store is not known for sure.
const doubtfulPrefix = "doubtful/"

// doubtful is the value of such a key, in JSON. `trackway doctor` reads it,
// recounts what is derived from the rows in which the column unit has that value,
// and deletes the key.
type doubtful struct {
	// Unit is the unit's id in 16 hexadecimal digits.
	Unit string `json:"unit"`
	// Window is the unit's window: the days 2·Window and 2·Window + 1 since 1970.
	Window int64 `json:"window"`
	// Tables are those that the unit went to; null means all.
	Tables []string `json:"tables"`
	// Missing are the deliveries that were in the unit and not in the queue.
	Missing []string `json:"missing"`
	// Time of the finding.
	Time time.Time `json:"time"`
}

// load puts the units of the log together again. A unit of which a delivery is
// gone cannot have the same bytes again: its other deliveries go into new units,
// and it is marked doubtful.
func (r *recovered) load(ctx context.Context, log *unitLog, client storage.Client, logger *zap.Logger) error {
	wanted := map[deliveryID]struct{}{}
	for _, u := range log.units {
		for _, p := range u.pieces {
			wanted[p.delivery] = struct{}{}
		}
	}
	items, err := find(ctx, client, wanted)
	if err != nil {
		return fmt.Errorf("looking for the deliveries of units that were in flight: %w", err)
	}
	parts, minutes := map[deliveryID][]*columns.Part{}, map[deliveryID]int64{}
	for id, item := range items {
		b, err := columns.Decode(item[itemHead:])
		if err != nil {
			logger.Error("A delivery of a unit that was in flight cannot be decoded", zap.Stringer("delivery", id), zap.Error(err))
			delete(items, id)
			continue
		}
		parts[id], minutes[id] = b.Parts(), itemMinute(item)
	}
	for _, u := range slices.Clone(log.units) {
		if u.state == stored {
			for _, p := range u.pieces {
				if _, ok := items[p.delivery]; ok {
					r.cover(p.delivery, u.window)
				}
			}
			continue
		}
		unit, missing := rebuild(u, parts, minutes)
		if missing == nil {
			r.add(unit)
			continue
		}
		logger.Error("A delivery of a unit that was in flight is gone from the queue. What is derived from the unit's rows must be recounted: run trackway doctor.",
			zap.String("unit", fmt.Sprintf("%016x", u.id)), zap.Strings("deliveries", missing))
		value, err := json.Marshal(doubtful{
			Unit: fmt.Sprintf("%016x", u.id), Window: u.window, Tables: u.tables, Missing: missing, Time: time.Now().UTC(),
		})
		if err != nil {
			return err
		}
		if err := client.Set(ctx, doubtfulPrefix+fmt.Sprintf("%016x", u.id), value); err != nil {
			return fmt.Errorf("marking a unit as doubtful: %w", err)
		}
		log.remove(u)
	}
	// Deliveries that are gone will not be deleted, so nothing waits for them.
	for id := range wanted {
		if _, ok := items[id]; !ok {
			log.deleted(id)
		}
	}
	return nil
}

// rebuild puts a unit together again, or names the deliveries it lacks.
func rebuild(u *loggedUnit, parts map[deliveryID][]*columns.Part, minutes map[deliveryID]int64) (*unit, []string) {
	out := &unit{id: u.id, window: u.window, tables: u.tables, log: u}
	var missing []string
	for _, ref := range u.pieces {
		var part *columns.Part
		for _, p := range parts[ref.delivery] {
			if p.Window() == u.window {
				part = follow(p, ref.path)
			}
		}
		if part == nil {
			missing = append(missing, ref.delivery.String())
			continue
		}
		out.add(piece{ref: ref, part: part, minute: minutes[ref.delivery]})
	}
	return out, missing
}

// cover says that a window of a delivery is in a unit.
func (r *recovered) cover(id deliveryID, window int64) *recoveredDelivery {
	d := r.deliveries[id]
	if d == nil {
		d = &recoveredDelivery{done: make(chan struct{})}
		close(d.done)
		r.deliveries[id] = d
	}
	if !slices.Contains(d.windows, window) {
		d.windows = append(d.windows, window)
	}
	return d
}

// add takes a unit that is to be stored again.
func (r *recovered) add(u *unit) {
	r.units = append(r.units, u)
	var ids []deliveryID
	for _, p := range u.pieces {
		if slices.Contains(ids, p.ref.delivery) {
			continue
		}
		ids = append(ids, p.ref.delivery)
		d := r.cover(p.ref.delivery, u.window)
		if d.pending == 0 {
			d.done = make(chan struct{})
		}
		d.pending++
	}
	u.done = func(err error) { r.unitDone(ids, err) }
}

func (r *recovered) unitDone(ids []deliveryID, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		d := r.deliveries[id]
		if err != nil {
			d.err = err
		}
		if d.pending--; d.pending == 0 {
			close(d.done)
		}
	}
}

// of gives what is known of a delivery; nil for most.
func (r *recovered) of(id deliveryID) *recoveredDelivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.deliveries[id]
}

// forget drops what is known of a delivery that was deleted.
func (r *recovered) forget(id deliveryID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.deliveries, id)
}

// result gives what became of the units that hold the delivery; valid when done is
// closed.
func (r *recovered) result(d *recoveredDelivery) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return d.err
}
