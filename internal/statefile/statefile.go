// Package statefile replaces small files that components keep over a restart: a
// reader sees the old content or the new, never a part, whatever stops in between.
package statefile

import (
	"os"
	"path/filepath"
	"time"
)

// Replace puts a synced file of mode 0600 with data, modified at the time at, in
// the place of path. It creates the directory, with mode 0700, where there is none.
func Replace(path string, data []byte, at time.Time) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chtimes(f.Name(), at, at)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
