package storelock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Expiry is how long a holder that stopped renewing keeps the lock, by the
// server's clock. It renews three times as often.
const Expiry = 30 * time.Second

// pollInterval is how often a waiting process looks again.
const pollInterval = 250 * time.Millisecond

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("the lock is held by another process")

// ErrLost says that the lock was held and has gone to another process, as after
// a pause longer than Expiry.
var ErrLost = errors.New("the lock has gone to another process")

// Query runs one statement and gives its TabSeparated answer.
type Query func(ctx context.Context, sql string) (string, error)

// Table is where claims are kept: name, generation, owner, released and at.
type Table struct {
	Query Query
	// Name is the table with its database, as it stands in statements.
	Name string
	// Replicated says that the table has replicas, which are synced before they
	// are read.
	Replicated bool
}

// Lock is a held lock.
type Lock struct {
	table      Table
	name       string
	owner      string
	generation uint64

	stop    context.CancelFunc
	renewed sync.WaitGroup
	mu      sync.Mutex
	err     error // of the last renewal
}

// claim is the newest generation of a lock as the store has it.
type claim struct {
	generation uint64
	owner      string
	released   bool
	age        time.Duration // since its last renewal
}

func (c claim) free() bool { return c.released || c.age > Expiry || c.generation == 0 }

// Acquire waits for the lock called name until ctx ends. The lock is renewed in
// the background until it is released.
func Acquire(ctx context.Context, table Table, name string) (*Lock, error) {
	for {
		lock, err := TryAcquire(ctx, table, name)
		if !errors.Is(err, ErrHeld) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", err, context.Cause(ctx))
		case <-time.After(pollInterval):
		}
	}
}

// TryAcquire takes the lock if nobody has it, else gives ErrHeld with its owner.
func TryAcquire(ctx context.Context, table Table, name string) (*Lock, error) {
	owner := newOwner()
	for tried := uint64(0); ; {
		last, err := table.last(ctx, name)
		if err != nil {
			return nil, err
		}
		if last.owner == owner {
			return start(ctx, table, name, last), nil
		}
		if !last.free() {
			return nil, fmt.Errorf("lock %q: %w: %s, seen %s ago", name, ErrHeld, last.owner, last.age.Round(time.Millisecond))
		}
		// A generation that was tried and is nobody's is one whose insert was lost
		// with the server: its token stays taken.
		tried = max(last.generation, tried) + 1
		if err := table.insert(ctx, name, tried, owner, false, "claim"); err != nil {
			return nil, fmt.Errorf("claiming lock %q: %w", name, err)
		}
	}
}

// newOwner names this process for people, and apart from any other.
func newOwner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", strings.Map(printable, host), os.Getpid(), rand.Text()[:12])
}

// printable keeps what needs no escaping in SQL or TabSeparated.
func printable(r rune) rune {
	if r <= ' ' || r > '~' || r == '\'' || r == '\\' {
		return '_'
	}
	return r
}

func start(ctx context.Context, table Table, name string, c claim) *Lock {
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &Lock{table: table, name: name, owner: c.owner, generation: c.generation, stop: stop}
	l.renewed.Go(func() { l.renew(run) })
	return l
}

func (l *Lock) renew(ctx context.Context) {
	ticker := time.NewTicker(Expiry / 3)
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := l.table.insert(ctx, l.name, l.generation, l.owner, false, "renewal-"+strconv.Itoa(n))
		if ctx.Err() != nil {
			return
		}
		l.mu.Lock()
		l.err = err
		l.mu.Unlock()
	}
}

// Check asks the store whether the lock is still held, and gives ErrLost or the
// failure of the last renewal when it may not be. What it protects asks before
// each step.
func (l *Lock) Check(ctx context.Context) error {
	last, err := l.table.last(ctx, l.name)
	if err != nil {
		return err
	}
	if last.owner != l.owner {
		return fmt.Errorf("lock %q: %w: %s", l.name, ErrLost, last.owner)
	}
	if last.age > Expiry {
		l.mu.Lock()
		defer l.mu.Unlock()
		return fmt.Errorf("lock %q: not renewed for %s: %w", l.name, last.age.Round(time.Second), errors.Join(ErrLost, l.err))
	}
	return nil
}

// Release lets the next process in at once. A lock that cannot be released
// expires.
func (l *Lock) Release(ctx context.Context) error {
	l.stop()
	l.renewed.Wait()
	if err := l.table.insert(ctx, l.name, l.generation, l.owner, true, "release"); err != nil {
		return fmt.Errorf("releasing lock %q, which expires after %s: %w", l.name, Expiry, err)
	}
	return nil
}
