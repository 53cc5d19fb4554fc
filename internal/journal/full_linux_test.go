package journal_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/journal"
	"github.com/trackwayhq/trackway/internal/journal/journaltest"
	"github.com/trackwayhq/trackway/internal/smalldisk"
)

func openSpace(t *testing.T, dir string, opts journal.Options) (*journal.Journal, *journal.Space) {
	t.Helper()
	j, err := journal.Open(dir, opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, j.Close()) })
	s, err := j.Space("s")
	require.NoError(t, err)
	return j, s
}

// fillDisk applies 8 KiB values until one is refused.
func fillDisk(t *testing.T, s *journal.Space) int {
	t.Helper()
	value := bytes.Repeat([]byte("v"), 8<<10)
	for n := 0; ; n++ {
		_, err := s.Apply([]journal.Op{{Kind: journal.Set, Key: fmt.Sprint(n), Value: value}}, journal.Now)
		if err != nil {
			require.ErrorIs(t, err, journal.ErrFull)
			return n
		}
		require.Less(t, n, 10000)
	}
}

// checkFull shows that a full journal keeps what it took, drains, and goes on.
func checkFull(t *testing.T, dir string, opts journal.Options, makeRoom func()) {
	t.Helper()
	j, s := openSpace(t, dir, opts)
	n := fillDisk(t, s)
	require.Greater(t, n, 10)
	require.NoError(t, j.Close())
	j, s = openSpace(t, dir, opts)
	require.Len(t, s.Keys(), n)
	for i := range n / 2 {
		ops := []journal.Op{{Kind: journal.Get, Key: fmt.Sprint(i)}, {Kind: journal.Delete, Key: fmt.Sprint(i)}, {Kind: journal.Set, Key: "meta", Value: make([]byte, 1000)}}
		_, err := s.Apply(ops, journal.Lazy)
		require.NoError(t, err)
		assert.Len(t, ops[0].Value, 8<<10)
	}
	makeRoom()
	require.Eventually(t, func() bool {
		_, err := s.Apply([]journal.Op{{Kind: journal.Set, Key: "again", Value: make([]byte, 8<<10)}}, journal.Now)
		return err == nil
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, j.Close())
	_, s = openSpace(t, dir, opts)
	assert.Len(t, s.Keys(), n-n/2+2)
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	smalldisk.Mount(t, dir, "2m") // TestFullSimulatedDisk needs no root
	t.Run("deleting makes room", func(t *testing.T) {
		opts := journal.Options{SegmentBytes: journal.MinSegmentBytes, MaxBytes: 1 << 30, FlushInterval: time.Millisecond}
		checkFull(t, filepath.Join(dir, "a"), opts, func() {})
	})
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "a")))
	t.Run("somebody else makes room", func(t *testing.T) {
		other := filepath.Join(dir, "other")
		require.NoError(t, os.WriteFile(other, make([]byte, 1<<20), 0o600))
		opts := journal.Options{SegmentBytes: journal.MinSegmentBytes, MaxBytes: 1 << 30, FlushInterval: time.Hour}
		checkFull(t, filepath.Join(dir, "b"), opts, func() { require.NoError(t, os.Remove(other)) })
	})
	t.Run("no room to start", func(t *testing.T) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600))
		_, err := journal.Open(filepath.Join(dir, "c"), journal.Options{SegmentBytes: 16 << 20, MaxBytes: 1 << 30})
		require.ErrorIs(t, err, syscall.ENOSPC)
	})
}

func TestFullSimulatedDisk(t *testing.T) {
	fs := journaltest.New()
	fs.Limit(20 * journal.MinSegmentBytes)
	opts := journal.Options{SegmentBytes: journal.MinSegmentBytes, MaxBytes: 1 << 30, FlushInterval: time.Hour, FileSystem: fs}
	checkFull(t, "journal", opts, func() { fs.Limit(0) })
}
