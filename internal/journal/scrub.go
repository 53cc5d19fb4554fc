package journal

import (
	"context"
	"fmt"
)

// Scrub removes from the disk what was deleted or replaced before the call; until
// then it lies in segments until these are written again. It moves what is alive
// to segments that held nothing before, and removes the others' files.
func (j *Journal) Scrub(ctx context.Context) error {
	wake := context.AfterFunc(ctx, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.cond.Broadcast()
	})
	defer wake()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return err
	}
	j.scrub = true
	kick(j.keepWake)
	for j.scrub || j.chain[0].seq < j.scrubbing {
		if err := j.usable(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("journal %s: not all of what was deleted is off the disk yet; it goes on when there is room: %w", j.dir, err)
		}
		j.cond.Wait()
	}
	return nil
}

// beginScrub makes the spares empty, and the next of them the one that is written.
// Only the keeper calls it.
func (j *Journal) beginScrub() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.scrub || j.failure != nil || len(j.spares) == 0 {
		return
	}
	spares := j.spares
	j.spares = nil // so that none of them is written meanwhile
	j.mu.Unlock()
	var err error
	for _, seg := range spares {
		if err = overwrite(seg); err != nil {
			break
		}
	}
	j.mu.Lock()
	j.spares = append(spares, j.spares...)
	j.cond.Broadcast()
	if err != nil {
		j.fail(err)
		return
	}
	j.flush(tierCarry)
	if j.active().end > headerSize {
		j.rotate()
	}
	j.scrub, j.scrubbing = false, j.active().seq
}

// overwrite clears what a file held before it became this segment.
func overwrite(seg *segment) error {
	zeros := make([]byte, zeroChunk)
	for off := int64(headerSize); off < seg.size; off += zeroChunk {
		if _, err := seg.file.WriteAt(zeros[:min(zeroChunk, seg.size-off)], off); err != nil {
			return fmt.Errorf("overwrite %s: %w", seg.path, err)
		}
	}
	if err := seg.file.Sync(); err != nil {
		return fmt.Errorf("overwrite %s: %w", seg.path, err)
	}
	return nil
}

// Usage is what one space holds.
type Usage struct {
	Name string
	Keys int
	// Bytes the values take in the journal.
	Bytes int64
	// Oldest is when the value that is longest there was set, in seconds since 1970;
	// values from before the journal was opened count from then. 0 without values.
	Oldest int64
}

// Usage says what each space holds of the keys that count selects.
func (j *Journal) Usage(count func(key string) bool) []Usage {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []Usage
	for name, s := range j.spaces {
		u := Usage{Name: name}
		for key, e := range s.logged {
			if op, ok := s.lazy[key]; ok && op.Kind == Delete || !count(key) {
				continue
			}
			u.Keys++
			u.Bytes += e.cost
			if u.Oldest == 0 || e.since < u.Oldest {
				u.Oldest = e.since
			}
		}
		out = append(out, u)
	}
	return out
}
