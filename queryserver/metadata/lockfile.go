package metadata

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

const (
	// lockSuffix names the lock file beside a SQLite file. It is a file of its own:
	// closing a second descriptor of the database would drop SQLite's own locks.
	lockSuffix = ".lock"
	// lockWait is how long another process may take to open and migrate.
	lockWait = 30 * time.Second
	lockPoll = 20 * time.Millisecond
)

// lockFile takes an exclusive lock that ends with unlock or with the process.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, fmt.Errorf("another process has held it for %s", lockWait))
	defer cancel()
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, fmt.Errorf("lock %s: put the database on a local file system: %w", path, err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w", path, context.Cause(ctx))
		case <-time.After(lockPoll):
		}
	}
}
