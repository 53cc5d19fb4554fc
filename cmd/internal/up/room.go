package up

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

const (
	// leastRoom is how many bytes the disk of the data directory must have free for
	// the journal to get a new segment and the store to merge.
	leastRoom = 64 << 20
	// roomInterval is how often that is looked at.
	roomInterval = 5 * time.Second
)

// watchRoom says when the disk of a part of the data directory is full, and when it
// no longer is: senders are refused then, and nothing of it is lost.
func (s *stack) watchRoom(ctx context.Context) {
	ticker := time.NewTicker(roomInterval)
	defer ticker.Stop()
	for {
		full := fullDisks(s.data.path, s.data.join("store"), s.data.join("journal"))
		before := s.board.snapshot().Full
		if full != before {
			if full != "" {
				s.log.Error("no room: what does not fit in the journal is refused with 503 until there is; free some, or set --disk-budget", "disk", full)
			} else {
				s.log.Info("there is room again", "disk", before)
			}
			// The file is on that disk too: it is written again with the next change.
			_ = s.board.update(func(st *Status) { st.Full = full })
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// fullDisks names the first directory whose disk has less room than it needs; "" when
// there is none.
func fullDisks(dirs ...string) string {
	for _, dir := range dirs {
		var fs syscall.Statfs_t
		if syscall.Statfs(dir, &fs) != nil {
			continue // not there yet
		}
		if free := fs.Bavail * uint64(fs.Bsize); free < leastRoom {
			return fmt.Sprintf("%s (less than %d MiB free)", dir, leastRoom>>20)
		}
	}
	return ""
}
