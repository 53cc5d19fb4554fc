package journal

import (
	"errors"
	"fmt"
	"time"
)

const (
	// writeChunk is how much small records are gathered into one write, writeAlone
	// the size from which copying costs more than a write.
	writeChunk = 256 << 10
	writeAlone = 16 << 10
	// retryFull is how often a write is repeated while the disk is full.
	retryFull = 100 * time.Millisecond
)

// commitLoop is the one goroutine that writes records and syncs them. While it
// syncs, further records gather; they share the next sync.
func (j *Journal) commitLoop() {
	for {
		select {
		case <-j.commitWake:
			j.commit()
		case <-j.stop:
			j.commit()
			return
		}
	}
}

// flushDue writes lazy changes that waited long enough.
func (j *Journal) flushDue() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flushArmed = false
	if j.usable() == nil && !j.flush(tierFlush) {
		j.armFlush()
	}
}

// armFlush makes sure that lazy changes are written soon. Callers hold the lock.
func (j *Journal) armFlush() {
	if !j.flushArmed {
		j.flushArmed = true
		j.flushTimer.Reset(j.opts.FlushInterval)
	}
}

// commit writes and syncs what was appended, repeating it while the disk is full.
func (j *Journal) commit() {
	j.mu.Lock()
	batch := j.queue
	j.queue = nil
	failed := j.failure != nil
	j.mu.Unlock()
	if len(batch) == 0 || failed {
		return
	}
	for _, p := range batch {
		sealRecord(p.buf, p.seg.seed())
	}
	var bytes int64
	for _, p := range batch {
		bytes += int64(len(p.buf))
	}
	for {
		err := j.writeAndSync(batch)
		if err == nil {
			break
		}
		if !noSpace(err) {
			j.mu.Lock()
			j.fail(err)
			j.mu.Unlock()
			return
		}
		// What a failed sync dropped is still in the batch and is written again.
		j.mu.Lock()
		j.stalled = true
		j.cond.Broadcast()
		j.mu.Unlock()
		select {
		case <-j.stop:
			j.mu.Lock()
			j.fail(err)
			j.mu.Unlock()
			return
		case <-time.After(retryFull):
		}
	}
	j.mu.Lock()
	j.stalled = false
	j.unwritten -= bytes
	j.written = batch[len(batch)-1].seq
	j.synced = j.written
	j.cache.evict(j.written)
	j.announce()
	j.mu.Unlock()
	kick(j.keepWake)
}

// writeAndSync writes records to their places. A segment is synced before the next
// one is written to: only the last one can have a torn tail.
func (j *Journal) writeAndSync(batch []*pending) error {
	w := &j.writer
	w.buf = w.buf[:0]
	for i, p := range batch {
		if i > 0 && p.seg != batch[i-1].seg {
			if err := errors.Join(w.flush(), j.sync(batch[i-1].seg)); err != nil {
				return err
			}
		}
		if err := w.write(p); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	return j.sync(batch[len(batch)-1].seg)
}

func (j *Journal) sync(seg *segment) error {
	if j.opts.Sync == SyncOff {
		return nil
	}
	start := time.Now()
	if err := seg.file.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", seg.path, err)
	}
	j.opts.OnSync(time.Since(start))
	j.mu.Lock()
	j.stats.Syncs++
	j.mu.Unlock()
	return nil
}

// chunkWriter gathers adjacent records into larger writes.
type chunkWriter struct {
	seg *segment
	off int64
	buf []byte
}

func (w *chunkWriter) write(p *pending) error {
	if w.seg != p.seg || w.off+int64(len(w.buf)) != p.off || len(w.buf)+len(p.buf) > writeChunk {
		if err := w.flush(); err != nil {
			return err
		}
		w.seg, w.off = p.seg, p.off
		if len(p.buf) > writeAlone {
			return writeAt(p.seg, p.buf, p.off)
		}
	}
	w.buf = append(w.buf, p.buf...)
	return nil
}

func (w *chunkWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	err := writeAt(w.seg, w.buf, w.off)
	w.buf = w.buf[:0]
	return err
}

func writeAt(seg *segment, b []byte, off int64) error {
	if _, err := seg.file.WriteAt(b, off); err != nil {
		return fmt.Errorf("write %s at offset %d: %w", seg.path, off, err)
	}
	return nil
}
