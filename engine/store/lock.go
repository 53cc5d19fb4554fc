package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockPoll is how often a held lock is tried again.
const lockPoll = 50 * time.Millisecond

// acquireLock takes the data directory's exclusive lock, waiting for at most
// wait: the engine of the previous run may still be closing its store. The
// kernel releases the lock with the process, however that ends.
func acquireLock(ctx context.Context, dir string, wait time.Duration) (*os.File, error) {
	path := filepath.Join(dir, runDir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the data directory's lock: %w", err)
	}
	deadline := time.Now().Add(wait)
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		if !time.Now().Before(deadline) {
			return nil, errors.Join(fmt.Errorf("%w: %s is used by another engine%s; stop that one, or choose another directory with --data", ErrInUse, dir, holder(f)), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("wait for the data directory %s: %w", dir, ctx.Err()), f.Close())
		case <-time.After(lockPoll):
		}
	}
	// For the message of whoever waits; a failure to write it harms nobody else.
	if err := f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("write %s: %w", path, err), f.Close())
		}
	}
	return f, nil
}

// holder names the process that wrote the lock file, where it did.
func holder(f *os.File) string {
	buf := make([]byte, 32)
	n, _ := f.ReadAt(buf, 0) // io.EOF is the usual end of a short file
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}
