package metadata

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallDisk is a file system of its own, of so many MiB.
func smallDisk(t *testing.T, mib int) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	dir := t.TempDir()
	require.NoError(t, syscall.Mount("metadata-test", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", mib)))
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// fill leaves no room and gives the file to remove for some.
func fill(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "other")
	f, err := os.Create(path)
	require.NoError(t, err)
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	require.NoError(t, f.Close())
	return path
}

// TestFullDisk changes projects until the disk is full: what was answered is
// kept, what was refused left nothing, reading and opening still work, and with
// room so does writing.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, 7)
	dsn := FileDSN(filepath.Join(dir, FileName))
	s := open(t, dsn)
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, make([]byte, 1<<20), 0o600))

	made := 1 // the default project
	var err error
	for ; made < 5000; made++ {
		if _, err = s.CreateProject(t.Context(), "test", Project{ID: fmt.Sprint("p", made), Name: strings.Repeat("n", maxName)}); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, ErrFull)
	require.ErrorContains(t, err, dir)
	require.Greater(t, made, 100)
	fill(t, dir)

	again, err := Open(t.Context(), dsn)
	require.NoError(t, err, "a full disk can be read")
	for _, reader := range []*Store{s, again} {
		projects, err := reader.Projects(t.Context())
		require.NoError(t, err)
		assert.Len(t, projects, made)
		changes, err := reader.Changes(t.Context(), "", 10_000)
		require.NoError(t, err)
		assert.Len(t, changes, made)
		_, _, err = reader.CreateKey(t.Context(), "test", DefaultProject, strings.Repeat("n", maxName), 0)
		if err == nil { // room left in the log by what was refused
			continue
		}
		assert.ErrorIs(t, err, ErrFull)
	}
	require.NoError(t, again.Close())

	require.NoError(t, os.Remove(other))
	_, err = s.CreateProject(t.Context(), "test", Project{ID: "room"})
	require.NoError(t, err)
	again = open(t, dsn)
	projects, err := again.Projects(t.Context())
	require.NoError(t, err)
	assert.Len(t, projects, made+1)
	var state string
	require.NoError(t, again.db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&state))
	assert.Equal(t, "ok", state)
}

// TestNoRoomToStart wants a sentence, and a start when there is room.
func TestNoRoomToStart(t *testing.T) {
	dir := smallDisk(t, 1)
	dsn := FileDSN(filepath.Join(dir, FileName))
	other := fill(t, dir)
	_, err := Open(t.Context(), dsn)
	require.ErrorIs(t, err, ErrFull)
	require.NoError(t, os.Remove(other))
	s := open(t, dsn)
	projects, err := s.Projects(t.Context())
	require.NoError(t, err)
	assert.Len(t, projects, 1)
}
