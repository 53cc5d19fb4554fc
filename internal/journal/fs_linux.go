package journal

import (
	"errors"
	"syscall"
)

// Sync is fdatasync: a preallocated file's size does not change, so its metadata
// need not be written each time.
func (f osFile) Sync() error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Allocate reserves blocks; where the file system cannot, it writes zeros.
func (f osFile) Allocate(size int64) error {
	for {
		err := syscall.Fallocate(int(f.Fd()), 0, 0, size)
		switch {
		case err == nil:
			return f.Truncate(size)
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOSYS):
			return writeZeros(f, size)
		default:
			return err
		}
	}
}
