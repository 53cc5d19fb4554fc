// Package smalldisk gives tests a small file system of their own, and fills it.
package smalldisk

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Mount puts a file system of a size such as 512k or 7m at dir, until the test ends.
// Only root can, so another user's test is skipped.
func Mount(t testing.TB, dir, size string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, syscall.Mount("small-disk", dir, "tmpfs", 0, "mode=0700,size="+size))
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
}

// Fill leaves no room on dir's file system, and gives what makes room again.
func Fill(t testing.TB, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "somebody-elses-file")
	f, err := os.Create(path)
	require.NoError(t, err)
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	require.NoError(t, f.Close())
	return func() { require.NoError(t, os.Remove(path)) }
}
