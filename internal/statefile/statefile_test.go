package statefile

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReplace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	path := filepath.Join(dir, "state.json")
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, text := range []string{"first, which is longer", "second"} {
		require.NoError(t, Replace(path, []byte(text), at))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.True(t, info.ModTime().Equal(at))

	// What cannot be put in place leaves nothing behind.
	taken := filepath.Join(dir, "taken")
	require.NoError(t, os.MkdirAll(filepath.Join(taken, "by a directory"), 0o700))
	require.Error(t, Replace(taken, []byte("x"), at))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2)
}
