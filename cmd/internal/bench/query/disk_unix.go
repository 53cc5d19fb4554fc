//go:build unix

package query

import "golang.org/x/sys/unix"

// freeBytes is what is free to this user on the disk of a directory.
func freeBytes(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
