package up

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/trackwayhq/trackway/engine/store"
)

// dataDir is an absolute data directory that this process holds the lock of.
type dataDir struct {
	path  string
	fresh bool // nothing was in it before this start
	lock  *os.File
}

// openDataDir creates the directory where needed and takes its lock. The lock
// belongs to the process, so it is free again the moment the process dies.
func openDataDir(path string) (*dataDir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w", path, err)
	}
	if err := store.CheckDir(abs); err != nil {
		return nil, err
	}
	d := &dataDir{path: abs}
	if _, err := os.Stat(d.join("store")); errors.Is(err, fs.ErrNotExist) {
		d.fresh = true
	}
	if err := os.MkdirAll(d.run(), 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the data directory: choose another with --data: %w", err)
	}
	lock, err := os.OpenFile(d.join("run", "up.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write in data directory %s: choose another with --data: %w", abs, err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("cannot lock data directory %s: choose one on a local file system with --data: %w", abs, err)
		}
		holder := "another `trackway up`"
		if s, err := ReadStatus(abs); err == nil {
			holder = fmt.Sprintf("another `trackway up` (pid %d, %s)", s.PID, s.URLs.UI)
		}
		return nil, fmt.Errorf("data directory %s is in use by %s: stop it, or choose another directory with --data", abs, holder)
	}
	d.lock = lock
	return d, nil
}

func (d *dataDir) close() { d.lock.Close() }

func (d *dataDir) join(elem ...string) string {
	return filepath.Join(append([]string{d.path}, elem...)...)
}

func (d *dataDir) run() string { return d.join("run") }

// Secrets that are made at random on the first start, below the data directory.
const (
	// PasswordFile is where the engine's password is kept.
	PasswordFile = "engine.password"
	// TokenFile is where the token is kept by which the query server knows collectors.
	TokenFile = "internal.token"
)

// secret returns what a file below the data directory holds, and makes it at
// random where there is none yet. what names it in errors.
func (d *dataDir) secret(file, what string) (string, error) {
	path := d.join(file)
	content, err := os.ReadFile(path)
	if err == nil {
		secret := strings.TrimSpace(string(content))
		if secret == "" {
			return "", fmt.Errorf("%s is empty: put %s in it, or remove it to have a new one made", path, what)
		}
		return secret, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	var random [24]byte
	_, _ = rand.Read(random[:]) // crypto/rand.Read never fails: it aborts the process instead
	secret := hex.EncodeToString(random[:])
	if err := writeFileAtomic(path, []byte(secret+"\n")); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return secret, nil
}

// writeFileAtomic replaces path by a file with mode 0600, synced before it takes
// the name, so that a crash leaves the old content or the new one.
func writeFileAtomic(path string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
