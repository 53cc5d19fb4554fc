package journal

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(runChild())
	}
	goleak.VerifyTestMain(m)
}

// small are options under which a few kilobytes fill a segment.
func small() Options {
	return Options{SegmentBytes: MinSegmentBytes, MaxBytes: MinSegments * MinSegmentBytes, FlushInterval: time.Hour}
}

func mustOpen(t *testing.T, dir string, opts Options) *Journal {
	t.Helper()
	j, err := Open(dir, opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, j.Close()) })
	return j
}

func mustSpace(t *testing.T, j *Journal, name string) *Space {
	t.Helper()
	s, err := j.Space(name)
	require.NoError(t, err)
	return s
}

func set(t *testing.T, s *Space, key, value string) uint64 {
	t.Helper()
	seq, err := s.Apply([]Op{{Kind: Set, Key: key, Value: []byte(value)}}, Now)
	require.NoError(t, err)
	return seq
}

func get(t *testing.T, s *Space, key string) []byte {
	t.Helper()
	ops := []Op{{Kind: Get, Key: key}}
	_, err := s.Apply(ops, Now)
	require.NoError(t, err)
	return ops[0].Value
}

func wait(t *testing.T, j *Journal, seq uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, j.Wait(ctx, seq))
}

func TestValuesSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir, small())
	a, b := mustSpace(t, j, "a"), mustSpace(t, j, "b")
	set(t, a, "k", "1")
	set(t, a, "empty", "")
	set(t, a, "gone", "x")
	set(t, b, "k", "2")
	_, err := a.Apply([]Op{{Kind: Delete, Key: "gone"}, {Kind: Delete, Key: "never"}}, Lazy)
	require.NoError(t, err)
	_, err = j.Space("a")
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, j.Close())

	j = mustOpen(t, dir, small())
	a, b = mustSpace(t, j, "a"), mustSpace(t, j, "b")
	assert.Equal(t, "1", string(get(t, a, "k")))
	assert.Equal(t, []byte{}, get(t, a, "empty"))
	assert.Nil(t, get(t, a, "gone"))
	assert.Nil(t, get(t, a, "never"))
	assert.Equal(t, "2", string(get(t, b, "k")))
	assert.Equal(t, []string{"empty", "k"}, a.Keys())
	assert.Equal(t, []string{"a", "b"}, j.Spaces())
	assert.Zero(t, j.Stats().TornTails)
}

func TestGetSeesTheBatchBeforeIt(t *testing.T) {
	j := mustOpen(t, t.TempDir(), small())
	s := mustSpace(t, j, "s")
	set(t, s, "old", "0")
	ops := []Op{
		{Kind: Get, Key: "old"}, {Kind: Set, Key: "old", Value: []byte("1")}, {Kind: Get, Key: "old"},
		{Kind: Delete, Key: "old"}, {Kind: Get, Key: "old"}, {Kind: Set, Key: "new", Value: nil}, {Kind: Get, Key: "new"},
	}
	for _, d := range []Durability{Lazy, Now} {
		_, err := s.Apply([]Op{{Kind: Set, Key: "old", Value: []byte("0")}}, d)
		require.NoError(t, err)
		_, err = s.Apply(ops, d)
		require.NoError(t, err)
		assert.Equal(t, "0", string(ops[0].Value))
		assert.Equal(t, "1", string(ops[2].Value))
		assert.Nil(t, ops[4].Value)
		assert.Equal(t, []byte{}, ops[6].Value)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	mustOpen(t, dir, small())
	_, err := Open(dir, small())
	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, err, filepath.Join(dir, "LOCK"))
}

func TestSegmentsAreReusedAndDiskUseBounded(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir, small())
	s := mustSpace(t, j, "s")
	set(t, s, "stays", "alive")
	value := bytes.Repeat([]byte("v"), 8<<10)
	for i := range 400 {
		_, err := s.Apply([]Op{{Kind: Set, Key: fmt.Sprint(i), Value: value}}, Now)
		require.NoError(t, err, i)
		if i >= 4 {
			_, err = s.Apply([]Op{{Kind: Delete, Key: fmt.Sprint(i - 4)}}, Lazy)
			require.NoError(t, err)
		}
		assert.LessOrEqual(t, j.Stats().DiskBytes, int64(MinSegments*MinSegmentBytes))
	}
	assert.Positive(t, j.Stats().CarriedBytes, "the key that stays was carried forward")
	require.NoError(t, j.Close())
	var bytes int64
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		bytes += info.Size()
	}
	assert.LessOrEqual(t, bytes, int64(MinSegments*MinSegmentBytes))
	j = mustOpen(t, dir, small())
	assert.Equal(t, "alive", string(get(t, mustSpace(t, j, "s"), "stays")))
}

func TestFullJournalRefusesAndGoesOn(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir, small())
	s := mustSpace(t, j, "s")
	value := bytes.Repeat([]byte("v"), 8<<10)
	n := 0
	var err error
	for ; err == nil; n++ {
		_, err = s.Apply([]Op{{Kind: Set, Key: fmt.Sprint(n), Value: value}}, Now)
	}
	require.ErrorIs(t, err, ErrFull)
	n--
	require.Greater(t, n, 20)
	assert.Positive(t, j.Stats().Refused)
	assert.Nil(t, get(t, s, fmt.Sprint(n)), "a refused batch changes nothing")
	_, err = s.Apply([]Op{{Kind: Set, Key: "huge", Value: make([]byte, MinSegmentBytes)}}, Now)
	require.ErrorIs(t, err, ErrTooLarge)

	// Draining needs room for what it notes down.
	for i := range n {
		ops := []Op{{Kind: Set, Key: "meta", Value: value[:2<<10]}, {Kind: Get, Key: fmt.Sprint(i)}}
		_, err = s.Apply(ops, Lazy)
		require.NoError(t, err)
		assert.Equal(t, value, ops[1].Value)
		_, err = s.Apply([]Op{{Kind: Delete, Key: fmt.Sprint(i)}}, Lazy)
		require.NoError(t, err)
		j.flushDue()
	}
	require.Eventually(t, func() bool {
		_, err := s.Apply([]Op{{Kind: Set, Key: "again", Value: value}}, Now)
		return err == nil
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, j.Close())
	j = mustOpen(t, dir, small())
	assert.Equal(t, []string{"again", "meta"}, mustSpace(t, j, "s").Keys())
}

func TestOptionsAreChecked(t *testing.T) {
	_, err := Open(t.TempDir(), Options{SegmentBytes: 1})
	require.ErrorContains(t, err, "segment size: want 65536 to 1073741824 bytes, got 8")
	_, err = Open(t.TempDir(), Options{SegmentBytes: 1 << 20, MaxBytes: 1 << 20})
	require.ErrorContains(t, err, "size limit: want room for 8 segments")
}

func TestValuesNotInMemoryAreReadFromSegments(t *testing.T) {
	opts := small()
	opts.CacheBytes = 1
	j := mustOpen(t, t.TempDir(), opts)
	s := mustSpace(t, j, "s")
	var seq uint64
	for i := range 10 {
		seq = set(t, s, fmt.Sprint(i), fmt.Sprint("value ", i))
	}
	wait(t, j, seq)
	require.Eventually(t, func() bool { return j.Stats().CacheBytes == 0 }, 10*time.Second, time.Millisecond)
	for i := range 10 {
		assert.Equal(t, fmt.Sprint("value ", i), string(get(t, s, fmt.Sprint(i))))
	}
}
