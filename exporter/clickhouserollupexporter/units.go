package clickhouserollupexporter

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// daysPerUnit bounds the partitions an insert touches: each is a part of its own
// on disk, in every table and rollup.
const daysPerUnit = 2

// units collects requests into units. An open unit is due at its age, or with
// enough rows to be worth an insert; a full one is closed and waits, in order,
// until an inserter is free. An open unit goes on growing while all inserters are
// busy, so units get larger as the load does.
type units struct {
	cfg UnitConfig
	now func() time.Time

	mu       sync.Mutex
	open     map[int64]*unit // by daysPerUnit days
	full     []*unit
	draining bool // close open units at once

	wake chan struct{} // something became full, or draining began
}

func newUnits(cfg UnitConfig) *units {
	return &units{cfg: cfg, now: time.Now, open: map[int64]*unit{}, wake: make(chan struct{}, 1)}
}

// add puts the request's records into open units.
func (q *units) add(r *request) {
	byDays := map[int64][]*record.Record{}
	for i := range r.records {
		d := daysOf(&r.records[i])
		byDays[d] = append(byDays[d], &r.records[i])
	}
	r.parts.Store(int32(len(byDays)))
	perRow := r.bytes / max(len(r.records), 1)

	q.mu.Lock()
	defer q.mu.Unlock()
	for days, rows := range byDays {
		u := q.open[days]
		if u == nil {
			u = newUnit(q.now().Add(q.cfg.MaxAge))
			q.open[days] = u
		}
		p := part{req: r, rows: rows, size: perRow * len(rows)}
		u.parts = append(u.parts, p)
		u.rows += len(rows)
		u.bytes += p.size
		if u.rows >= q.cfg.MaxRows || u.bytes >= q.cfg.MaxBytes {
			delete(q.open, days)
			q.full = append(q.full, u)
		}
	}
	q.signal()
}

func daysOf(r *record.Record) int64 { return r.Time.Unix() / (86400 * daysPerUnit) }

// withdraw takes the request out of its units and says whether it could: only
// while all of them are open has nothing of it been sent.
func (q *units) withdraw(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	found := 0
	for _, u := range q.open {
		if slices.ContainsFunc(u.parts, func(p part) bool { return p.req == r }) {
			found++
		}
	}
	if found == 0 || found != int(r.parts.Load()) {
		return false
	}
	for days, u := range q.open {
		u.parts = slices.DeleteFunc(u.parts, func(p part) bool {
			if p.req != r {
				return false
			}
			u.rows -= len(p.rows)
			u.bytes -= p.size
			return true
		})
		if len(u.parts) == 0 {
			delete(q.open, days)
		}
	}
	return true
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
	var days int64
	for d, u := range q.open {
		if first == nil || q.dueAt(u).Before(q.dueAt(first)) {
			first, days = u, d
		}
	}
	if first == nil {
		return nil, time.Hour
	}
	wait := q.dueAt(first).Sub(q.now())
	if wait > 0 && !q.draining {
		return nil, wait
	}
	delete(q.open, days)
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
