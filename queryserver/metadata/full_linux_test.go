package metadata

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/smalldisk"
)

// TestFullDisk changes projects until the disk is full: what was answered is
// kept, what was refused left nothing, reading and opening still work, and with
// room so does writing.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	smalldisk.Mount(t, dir, "7m")
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
	free := smalldisk.Fill(t, dir)

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

	free()
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
	dir := t.TempDir()
	smalldisk.Mount(t, dir, "1m")
	dsn := FileDSN(filepath.Join(dir, FileName))
	free := smalldisk.Fill(t, dir)
	_, err := Open(t.Context(), dsn)
	require.ErrorIs(t, err, ErrFull)
	free()
	s := open(t, dsn)
	projects, err := s.Projects(t.Context())
	require.NoError(t, err)
	assert.Len(t, projects, 1)
}
