package journalcmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/journal"
)

const values = 40

// write makes a journal of some values and gives a file of it.
func write(t *testing.T, dir string) (file string) {
	t.Helper()
	j, err := journal.Open(dir, journal.Options{})
	require.NoError(t, err)
	s, err := j.Space("queue")
	require.NoError(t, err)
	for i := range values {
		seq, err := s.Apply([]journal.Op{{Kind: journal.Set, Key: fmt.Sprint(i), Value: bytes.Repeat([]byte("v"), 1000)}}, journal.Now)
		require.NoError(t, err)
		require.NoError(t, j.Wait(context.Background(), seq))
	}
	require.NoError(t, j.Close())
	files, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	require.NoError(t, err)
	return files[0]
}

func TestSalvagePutsWhatIsReadableInPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	file := write(t, dir)
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("damage"), 20_000)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = journal.Open(dir, journal.Options{})
	require.ErrorIs(t, err, journal.ErrCorrupt)

	var out bytes.Buffer
	require.NoError(t, Salvage(dir, 0, &out))
	assert.Contains(t, out.String(), fmt.Sprintf("kept: %d keys", values-1))
	assert.Contains(t, out.String(), "lost: "+file+" at offset ")
	assert.Contains(t, out.String(), "1 records: not readable")
	j, err := journal.Open(dir, journal.Options{})
	require.NoError(t, err)
	s, err := j.Space("queue")
	require.NoError(t, err)
	assert.Len(t, s.Keys(), values-1)

	require.ErrorContains(t, Salvage(dir, 0, &out), "stop the collector first")
	require.NoError(t, j.Close())
	kept, err := filepath.Glob(dir + ".damaged-*")
	require.NoError(t, err)
	assert.Len(t, kept, 1, "the damaged journal is kept")
}

func TestSalvageOfASoundJournalChangesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	write(t, dir)
	var out bytes.Buffer
	require.NoError(t, Salvage(dir, 0, &out))
	assert.Contains(t, out.String(), "Nothing was lost")
	entries, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	require.ErrorContains(t, Salvage(filepath.Join(dir, "x"), 0, &out), "is not there")
}
