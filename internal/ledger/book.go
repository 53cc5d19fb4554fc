package ledger

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trackwayhq/trackway/internal/alongside"
)

const (
	keyPrefix = "m/"
	// rowCost is about what a row takes in memory, here and in the journal's index,
	// beside the project's name.
	rowCost = 512
	// Other is the project under which items are counted when MaxBytes leaves no
	// room for a row of their own.
	Other = "(other)"
)

// Book is the ledger of one collector: rows by project and minute, kept in the
// journal. Its methods may be called concurrently.
type Book struct {
	client   alongside.Client
	maxBytes int
	now      func() time.Time
	// receives says whether a project processor counts what is received.
	receives atomic.Bool

	// mu is taken inside the journal's lock, see Change; so the journal must never
	// be called while it is held.
	mu    sync.Mutex
	rows  map[key]*row
	bytes int
	// latest is the newest row of each project, for when there is no room for more.
	latest    map[string]int64
	coarsened int64
}

type key struct {
	project string
	minute  int64
}

func (k key) String() string { return keyPrefix + strconv.FormatInt(k.minute, 10) + "/" + k.project }

// row is the counts of a project and minute. Once it is in the table it is
// forgotten; what comes later for the same minute is a row of another generation,
// and readers add them up.
type row struct {
	generation uint64 // when it began, in ns since 1970
	version    uint64 // grows with each change
	written    uint64 // the version that is in the table
	counts     Counts
	dirty      bool // changed since the journal has it
}

// OpenBook reads the rows that client keeps. maxBytes bounds the memory for rows.
func OpenBook(ctx context.Context, client alongside.Client, maxBytes int) (*Book, error) {
	b := &Book{client: client, maxBytes: maxBytes, now: time.Now, rows: map[key]*row{}, latest: map[string]int64{}}
	for _, k := range client.Keys() {
		rest, ok := strings.CutPrefix(k, keyPrefix)
		if !ok {
			continue
		}
		minute, project, _ := strings.Cut(rest, "/")
		m, err := strconv.ParseInt(minute, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("ledger: key %q: want %s<minute>/<project>", k, keyPrefix)
		}
		value, err := client.Get(ctx, k)
		if err != nil {
			return nil, fmt.Errorf("ledger: %w", err)
		}
		r, err := decodeRow(value)
		if err != nil {
			return nil, fmt.Errorf("ledger: key %q: %w", k, err)
		}
		b.put(key{project, m}, r)
	}
	return b, nil
}

func (b *Book) put(k key, r *row) {
	b.rows[k] = r
	b.bytes += rowCost + len(k.project)
	b.latest[k.project] = max(b.latest[k.project], k.minute)
}

// at gives the row of a project and minute, or of the nearest that there is room
// for. Callers hold the lock.
func (b *Book) at(k key) (key, *row) {
	if r := b.rows[k]; r != nil {
		return k, r
	}
	if b.bytes+rowCost+len(k.project) > b.maxBytes {
		b.coarsened++
		if minute, ok := b.latest[k.project]; ok {
			k.minute = minute
		} else {
			k.project = Other
			if minute, ok := b.latest[Other]; ok {
				k.minute = minute
			}
		}
		if r := b.rows[k]; r != nil {
			return k, r
		}
	}
	r := &row{generation: uint64(b.now().UnixNano())}
	b.put(k, r)
	return k, r
}

// add counts something that no record of the journal stands for; it is written a
// moment later.
func (b *Book) add(project string, minute int64, c *Counts) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, r := b.at(key{project, minute})
	r.counts.Add(c)
	r.version++
	r.dirty = true
}

// change counts something in the journal record that it is given to.
func (b *Book) change(project string, minute int64, c Counts) alongside.Change {
	b.mu.Lock()
	k, _ := b.at(key{project, minute}) // so that the key is known before the record is made
	b.mu.Unlock()
	return b.client.Change(k.String(), maxRowBytes, func(dst []byte) ([]byte, bool) {
		b.mu.Lock()
		defer b.mu.Unlock()
		r := b.rows[k]
		if r == nil { // written to the table and forgotten meanwhile
			r = &row{generation: uint64(b.now().UnixNano())}
			b.put(k, r)
		}
		r.counts.Add(&c)
		r.version++
		r.dirty = false
		return r.append(dst), true
	})
}

// Offered counts items as accepted, in the record of the offer.
func (b *Book) Offered(minute int64, items ...Items) []alongside.Change {
	changes := make([]alongside.Change, 0, len(items))
	for _, it := range items {
		if !b.receives.Load() {
			it.Untallied = 0 // nobody has counted them before
		}
		changes = append(changes, b.change(it.Project, minute, Counts{
			Received: int64(it.Items - it.Untallied), Removed: -int64(it.Untallied),
		}))
	}
	return changes
}

// Settled counts what became of accepted items, and the rows that were stored of
// them, in the record that says so.
func (b *Book) Settled(counts []Settlement, rows []UnitRows) []alongside.Change {
	sums := make(map[key]Counts, len(counts))
	for _, s := range counts {
		c := Counts{Stored: int64(s.Stored), DeadLetter: int64(s.DeadLetter)}
		c.Dropped[reasonIndex(s.Reason)] = int64(s.Dropped)
		addTo(sums, key{s.Project, s.Minute}, &c)
	}
	for _, r := range rows {
		addTo(sums, key{r.Project, UnitMinute(r.Unit)}, &Counts{Rows: [3]int64{int64(r.Requests), int64(r.Spans), int64(r.Events)}})
	}
	changes := make([]alongside.Change, 0, len(sums))
	for k, c := range sums {
		changes = append(changes, b.change(k.project, k.minute, c))
	}
	return changes
}

func addTo(sums map[key]Counts, k key, c *Counts) {
	sum := sums[k]
	sum.Add(c)
	sums[k] = sum
}

// Receive counts items that a sender delivered for a project.
func (b *Book) Receive(ctx context.Context, project string, items int) (context.Context, func(error)) {
	b.receives.Store(true)
	minute := Minute(b.now())
	if n := int64(takeRejected(ctx)); n > 0 {
		b.add(project, minute, &Counts{Received: n, Rejected: n})
	}
	ctx, tally := newTally(ctx, items)
	return ctx, func(err error) {
		if c := tally.settle(err); c != (Counts{}) {
			b.add(project, minute, &c)
		}
	}
}

var _ Ledger = (*Book)(nil)
