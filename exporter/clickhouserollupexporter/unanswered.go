package clickhouserollupexporter

import (
	"errors"
	"sync"
)

// noRoom is what a sender is told while the disk of the store is full.
const noRoom = "the store has no room (NOT_ENOUGH_SPACE): free space in the data directory, then send it again"

// unanswered is a delivery whose sender stopped waiting before the store had
// confirmed it. Its text says what the store was seen to do, for the sender to
// read; it is also the error of the sender's context.
type unanswered struct {
	ctx   error
	store error // the last failure of an insert; nil when none was seen
}

func (e *unanswered) Error() string {
	switch {
	case e.store == nil:
		return "the store has not answered: send it again"
	case errorCode(e.store) == codeNotEnoughSpace:
		return noRoom
	}
	return e.store.Error() + ": send it again"
}

func (e *unanswered) Unwrap() []error { return []error{e.ctx, e.store} }

// failures remembers by table how the last insert failed that is being tried
// again. It is forgotten when an insert into the table is over, one way or other.
type failures struct {
	mu sync.Mutex
	m  map[string]error
}

func (f *failures) set(table string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		delete(f.m, table)
		return
	}
	if f.m == nil {
		f.m = map[string]error{}
	}
	f.m[table] = err
}

// last gives a failure that is not over; want of room before others.
func (f *failures) last() (last error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, err := range f.m {
		if last == nil || errorCode(err) == codeNotEnoughSpace {
			last = err
		}
	}
	return last
}

// explain adds to an error of the sender's context why it had to wait.
func (f *failures) explain(err, ctxErr error) error {
	if ctxErr == nil || !errors.Is(err, ctxErr) {
		return err
	}
	return &unanswered{ctx: ctxErr, store: f.last()}
}
