package deadletter

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/smalldisk"
)

func open(t *testing.T, dir string, maxBytes int64) *Store {
	t.Helper()
	s, err := Open(dir, maxBytes)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func entry(id string, payload int) Entry {
	return Entry{
		ID: id, Time: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Project: "shop", Reason: "Code: 6. Cannot parse",
		Code: 6, Table: "requests", Unit: 1<<63 + 7, Items: 1, Payload: bytes.Repeat([]byte(id[:1]), payload),
	}
}

func idsOf(t *testing.T, s *Store) (ids []string) {
	t.Helper()
	list, err := s.List()
	require.NoError(t, err)
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids
}

func TestEntriesSurviveAReopening(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 0)
	require.NoError(t, s.Write(entry("a", 100)))
	require.NoError(t, s.Write(entry("b", 0)))
	require.NoError(t, s.Close())
	s = open(t, dir, 0)
	require.NoError(t, s.Write(entry("c", 5)))

	assert.Equal(t, []string{"a", "b", "c"}, idsOf(t, s))
	list, err := s.List()
	require.NoError(t, err)
	assert.Nil(t, list[0].Payload)
	assert.EqualValues(t, 100, list[0].Bytes)
	got, err := s.Read("a")
	require.NoError(t, err)
	assert.Equal(t, entry("a", 100), got)
	_, err = s.Read("z")
	require.ErrorIs(t, err, ErrNotFound)
}

func TestWriteOfAKnownIDChangesNothing(t *testing.T) {
	s := open(t, t.TempDir(), 0)
	require.NoError(t, s.Write(entry("a", 10)))
	require.NoError(t, s.Write(entry("a", 10)))
	assert.Equal(t, []string{"a"}, idsOf(t, s))
}

func TestIDs(t *testing.T) {
	s := open(t, t.TempDir(), 0)
	require.NoError(t, s.Write(Entry{Payload: []byte("x")}))
	ids := idsOf(t, s)
	require.Len(t, ids, 1)
	assert.Len(t, ids[0], 32)
	require.ErrorContains(t, s.Write(Entry{ID: "../x"}), "want 0-9, a-z and -")
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, 0)
	_, err := Open(dir, 0)
	require.ErrorIs(t, err, ErrLocked)
}

func TestRemoveLeavesNoBytes(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 0)
	for i := range 5 {
		e := entry(fmt.Sprint(i), 1000)
		e.Payload = bytes.Repeat(fmt.Appendf(nil, "secret-%d ", i), 50)
		require.NoError(t, s.Write(e))
	}
	n, err := s.Remove("1", "3", "unknown")
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	assert.Equal(t, []string{"0", "2", "4"}, idsOf(t, s))
	text := contents(t, dir)
	assert.NotContains(t, text, "secret-1")
	assert.NotContains(t, text, "secret-3")
	assert.Contains(t, text, "secret-4")

	require.NoError(t, s.Close())
	s = open(t, dir, 0)
	assert.Equal(t, []string{"0", "2", "4"}, idsOf(t, s))
	n, err = s.Remove("0", "2", "4")
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	assert.Zero(t, s.Stats().Bytes)
}

func contents(t *testing.T, dir string) string {
	t.Helper()
	var all []byte
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		all = append(all, b...)
	}
	return string(all)
}

func TestFullSaysSoAndKeepsWhatItHas(t *testing.T) {
	s := open(t, t.TempDir(), 1<<20)
	n := fill(t, s)
	assert.LessOrEqual(t, s.Stats().Bytes, int64(1<<20))
	require.Len(t, idsOf(t, s), n)
	err := s.Write(entry("x", 10<<10))
	require.ErrorContains(t, err, "max_bytes is 1048576: replay or drop entries")
	_, err = s.Remove("0")
	require.NoError(t, err)
	require.NoError(t, s.Write(entry("x", 8<<10)))
}

// fill writes entries of 10 KiB until one is refused, and says how many there are.
func fill(t *testing.T, s *Store) int {
	t.Helper()
	for n := 0; ; n++ {
		err := s.Write(entry(fmt.Sprint(n), 10<<10))
		if err != nil {
			require.ErrorIs(t, err, ErrFull)
			require.Greater(t, n, 10)
			return n
		}
		require.Less(t, n, 1000)
	}
}

func TestFullDisk(t *testing.T) {
	mount := t.TempDir()
	smalldisk.Mount(t, mount, "512k")
	dir := filepath.Join(mount, "deadletter")
	s, err := Open(dir, 0)
	require.NoError(t, err)
	n := fill(t, s)
	require.ErrorIs(t, s.Write(entry("x", 10<<10)), syscall.ENOSPC)
	require.Len(t, idsOf(t, s), n)

	require.NoError(t, s.Close())
	s, err = Open(dir, 0)
	require.NoError(t, err)
	assert.Zero(t, s.Stats().Torn+s.Stats().Damaged)
	require.Len(t, idsOf(t, s), n)
	all := idsOf(t, s)
	removed, err := s.Remove(all...) // whole files need no room to go
	require.NoError(t, err)
	assert.Equal(t, n, removed)
	require.NoError(t, s.Write(entry("x", 10<<10)))
	require.NoError(t, s.Close())
}

func TestASyncThatFailsStoresNothing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 0)
	require.NoError(t, s.Write(entry("a", 10)))
	bad := errors.New("input/output error")
	s.syncFile = func(*os.File) error { return bad }
	require.ErrorIs(t, s.Write(entry("b", 10)), bad)
	require.ErrorIs(t, s.Write(entry("b", 10)), bad)
	s.syncFile = (*os.File).Sync
	assert.Equal(t, []string{"a"}, idsOf(t, s))
	require.NoError(t, s.Write(entry("b", 10)))
	require.NoError(t, s.Close())
	assert.Equal(t, []string{"a", "b"}, idsOf(t, open(t, dir, 0)))
}

func TestAnEntryWrittenTwiceIsOne(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 0)
	require.NoError(t, s.Write(entry("a", 10)))
	require.NoError(t, s.Write(entry("b", 10)))
	require.NoError(t, s.Close())
	first, err := os.ReadFile(filePath(dir, 1))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filePath(dir, 2), first, fileMode))

	s = open(t, dir, 0)
	assert.Equal(t, []string{"a", "b"}, idsOf(t, s))
	_, err = s.Remove("a")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	assert.Equal(t, []string{"b"}, idsOf(t, open(t, dir, 0)))
}
