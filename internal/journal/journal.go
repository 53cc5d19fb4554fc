package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Journal is an open journal. Its methods may be called concurrently.
type Journal struct {
	opts Options
	dir  string
	id   journalID
	lock io.Closer
	// opened is when, in s since 1970.
	opened int64

	mu   sync.Mutex
	cond *sync.Cond // something that writers wait for may have changed

	chain  []*segment // oldest first; the last is written
	spares []*segment // prepared, in the order in which they will be written
	spaces map[string]*Space
	// dirty are the spaces with lazy changes, lazyBytes what those take.
	dirty      map[*Space]struct{}
	lazyBytes  int64
	flushTimer *time.Timer
	flushArmed bool

	queue     []*pending // appended, not yet written
	unwritten int64      // bytes in queue and being written
	lastSeq   uint64     // of the last record appended
	written   uint64     // of the last record in a file
	synced    uint64     // of the last record on disk
	syncedCh  chan struct{}

	exhausted bool // the last attempt at another spare failed
	stalled   bool // the disk is full and a write is being repeated
	failure   error
	closed    bool // nothing is applied any more
	finished  bool // nothing is written any more
	// nextSegment is the sequence of the next spare; used by opening and keeper only.
	nextSegment uint64
	lastNoSpace time.Time
	// scrub asks the keeper to begin; then what lies in segments before scrubbing is
	// moved away from them and their files are removed.
	scrub     bool
	scrubbing uint64

	cache  cache
	writer chunkWriter // of the goroutine that commits
	stats  Stats

	commitWake, keepWake chan struct{}
	stop                 chan struct{}
	workers              sync.WaitGroup
	keeper               sync.WaitGroup
	keeperCtx            context.Context // ends before the writing does
	stopKeeper           context.CancelFunc
}

// pending is an encoded record on its way to the disk.
type pending struct {
	seg *segment
	off int64
	buf []byte
	seq uint64
}

// Stats are counters since opening, and gauges.
type Stats struct {
	AppendedBytes   int64 // records, with headers
	AppendedRecords int64
	Syncs           int64
	CarriedBytes    int64 // of live values copied forward
	Refused         int64 // batches answered ErrFull
	TornTails       int64 // tails cut off at opening, 0 or 1
	TornBytes       int64 // bytes from the cut to the last sign of a record
	LiveBytes       int64
	DiskBytes       int64
	CacheBytes      int64
	Keys            int64
}

// Open opens the journal in dir, which is created if absent. It fails with
// ErrLocked if another process has it, and with a *CorruptError if data that was
// once on disk is wrong; a torn tail is cut off and counted.
func Open(dir string, opts Options) (*Journal, error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	if err := opts.FileSystem.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	lock, err := takeLock(opts.FileSystem, dir)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{
		opts: opts, dir: dir, lock: lock, opened: time.Now().Unix(),
		spaces: map[string]*Space{}, dirty: map[*Space]struct{}{},
		syncedCh:   make(chan struct{}),
		commitWake: make(chan struct{}, 1), keepWake: make(chan struct{}, 1),
		stop: make(chan struct{}),
	}
	j.keeperCtx, j.stopKeeper = context.WithCancel(context.Background())
	j.cond = sync.NewCond(&j.mu)
	j.cache.limit = opts.CacheBytes
	if err := j.recover(); err != nil {
		j.stopKeeper()
		return nil, errors.Join(fmt.Errorf("open journal %s: %w", dir, err), j.closeFiles())
	}
	j.flushTimer = time.AfterFunc(time.Hour, j.flushDue)
	j.flushTimer.Stop()
	j.workers.Go(j.commitLoop)
	j.keeper.Go(j.keepLoop)
	kick(j.keepWake)
	return j, nil
}

// Wait returns when the record seq and all before it are on disk, or with SyncOff
// in the file. It fails with ErrFailed, ErrClosed, or the context's error; then it
// is not known whether the record is on disk.
func (j *Journal) Wait(ctx context.Context, seq uint64) error {
	for {
		j.mu.Lock()
		done, failure, finished, changed := j.synced >= seq, j.failure, j.finished, j.syncedCh
		j.mu.Unlock()
		switch {
		case done:
			return nil
		case failure != nil:
			return failure
		case finished:
			return ErrClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stats returns counters and gauges.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.stats
	s.CacheBytes = j.cache.bytes
	for _, seg := range j.chain {
		s.LiveBytes += seg.live
		s.DiskBytes += seg.size
	}
	for _, seg := range j.spares {
		s.DiskBytes += seg.size
	}
	for _, space := range j.spaces {
		s.Keys += int64(len(space.logged))
	}
	return s
}

// Close writes what is not yet written, marks the journal as closed in good order
// and releases it. What is still held back, see [AfterReplacement], is written too.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true // nothing is applied from here on
	j.flushTimer.Stop()
	for _, space := range j.spaces {
		space.release()
	}
	j.mu.Unlock()

	j.stopKeeper()
	j.keeper.Wait()

	j.mu.Lock()
	flushed := j.flush(tierCarry)
	j.mu.Unlock()
	close(j.stop)
	j.workers.Wait()

	j.mu.Lock()
	err := j.failure
	if err == nil && flushed && j.room(recordHeader, tierCarry) == nil {
		// Its watermark covers every record before it, so that damage in them is
		// never taken for a torn tail.
		j.appendRecord(kindClose, make([]byte, recordHeader))
		j.mu.Unlock()
		j.commit()
		j.mu.Lock()
		err = j.failure
	}
	j.finished = true
	j.announce()
	j.mu.Unlock()
	return errors.Join(err, j.closeFiles())
}

// fail stops the journal for good: after a failed sync nobody knows what is on
// disk, and a queue that was refused a read must not delete what it could not read.
// Callers hold the lock.
func (j *Journal) fail(err error) {
	if j.failure != nil {
		return
	}
	j.failure = fmt.Errorf("journal %s: %w: %w", j.dir, ErrFailed, err)
	j.announce()
	failure := j.failure
	go j.opts.OnFailure(failure)
}

// announce wakes everybody who waits for a sync or for room. Callers hold the lock.
func (j *Journal) announce() {
	close(j.syncedCh)
	j.syncedCh = make(chan struct{})
	j.cond.Broadcast()
}

// usable says whether changes can be applied. Callers hold the lock.
func (j *Journal) usable() error {
	if j.failure != nil {
		return j.failure
	}
	if j.closed {
		return ErrClosed
	}
	return nil
}

func kick(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
