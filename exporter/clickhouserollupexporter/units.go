package clickhouserollupexporter

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/internal/columns"
)

// units collects deliveries into units. An open unit is due at its age, with
// enough rows to be worth an insert, or when more deliveries wait than may be held;
// a full one is closed and waits, in order, until an inserter is free. An open unit
// goes on growing while all inserters are busy, so units get larger as the load
// does.
type units struct {
	cfg UnitConfig
	now func() time.Time

	mu       sync.Mutex
	open     map[int64]*unit // by window
	full     []*unit
	draining bool // close open units at once
	pressed  int  // how many cannot be added before a unit is done

	wake chan struct{} // something became due, or draining began
}

func newUnits(cfg UnitConfig) *units {
	return &units{cfg: cfg, now: time.Now, open: map[int64]*unit{}, wake: make(chan struct{}, 1)}
}

// add puts parts of a request into open units. The request's count of parts must
// be set before.
func (q *units) add(r *request, parts []*columns.Part) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, part := range parts {
		window := part.Window()
		u := q.open[window]
		if u == nil {
			u = newUnit(window)
			u.deadline = q.now().Add(q.cfg.MaxAge)
			q.open[window] = u
		}
		u.add(piece{ref: pieceRef{delivery: r.id}, part: part, minute: r.minute, req: r})
		if u.rows >= q.cfg.MaxRows || u.bytes >= q.cfg.MaxBytes {
			delete(q.open, window)
			q.full = append(q.full, u)
		}
	}
	q.signal()
}

// push puts a whole unit in line, as it is.
func (q *units) push(u *unit) {
	q.mu.Lock()
	q.full = append(q.full, u)
	q.mu.Unlock()
	q.signal()
}

// withdraw takes the request out of its units and says whether it could: only
// while all of them are open has nothing of it been sent.
func (q *units) withdraw(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	found := 0
	for _, u := range q.open {
		if slices.ContainsFunc(u.pieces, func(p piece) bool { return p.req == r }) {
			found++
		}
	}
	if found == 0 || found != int(r.parts.Load()) {
		return false
	}
	for window, u := range q.open {
		u.remove(r)
		if len(u.pieces) == 0 {
			delete(q.open, window)
		}
	}
	return true
}

// press says that a delivery waits until there is room for it in units; release
// that it does no longer.
func (q *units) press() {
	q.mu.Lock()
	q.pressed++
	q.mu.Unlock()
	q.signal()
}

func (q *units) release() {
	q.mu.Lock()
	q.pressed--
	q.mu.Unlock()
}

// next waits for a unit that is due and gives it; nil when ctx is done.
func (q *units) next(ctx context.Context) *unit {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		u, wait := q.take()
		if u != nil {
			return u
		}
		timer.Reset(wait)
		select {
		case <-q.wake:
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// take gives a unit that is due, or how long to wait for one.
func (q *units) take() (*unit, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.full) > 0 {
		u := q.full[0]
		q.full = slices.Delete(q.full, 0, 1)
		return u, 0
	}
	var first *unit
	for _, u := range q.open {
		if first == nil || q.dueAt(u).Before(q.dueAt(first)) {
			first = u
		}
	}
	if first == nil {
		return nil, time.Hour
	}
	wait := q.dueAt(first).Sub(q.now())
	if wait > 0 && !q.draining && q.pressed == 0 {
		return nil, wait
	}
	delete(q.open, first.window)
	return first, 0
}

// dueAt is when an inserter may take an open unit: at its deadline, or at once
// when its rows outweigh what an insert costs whatever it holds.
func (q *units) dueAt(u *unit) time.Time {
	if u.rows >= q.cfg.MinRows {
		return time.Time{}
	}
	return u.deadline
}

// drain makes open units due at once, from now on.
func (q *units) drain() {
	q.mu.Lock()
	q.draining = true
	q.mu.Unlock()
	q.signal()
}

func (q *units) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
