package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func onDisk(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	require.NoError(t, err)
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		all.Write(b)
	}
	return all.String()
}

// What was deleted is nowhere on the disk after a scrub, however many lives of
// segments it went through, and what is alive still is.
func TestScrubLeavesNothingOfWhatWasDeleted(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir, small())
	s := mustSpace(t, j, "s")
	for round := range 20 {
		for i := range 10 {
			set(t, s, fmt.Sprint("k", i), fmt.Sprintf("secret-%d %s", round, strings.Repeat("x", 3000)))
		}
	}
	set(t, s, "kept", "innocent")
	ops := []Op{}
	for i := range 10 {
		ops = append(ops, Op{Kind: Delete, Key: fmt.Sprint("k", i)})
	}
	_, err := s.Apply(ops, Lazy)
	require.NoError(t, err)
	require.True(t, strings.Contains(onDisk(t, dir), "secret-"))

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, j.Scrub(ctx))
	text := onDisk(t, dir)
	assert.False(t, strings.Contains(text, "secret-"))
	assert.True(t, strings.Contains(text, "innocent"))
	assert.Equal(t, "innocent", string(get(t, s, "kept")))
	set(t, s, "more", "after")
	require.NoError(t, j.Scrub(ctx), "again")
	require.NoError(t, j.Close())

	j = mustOpen(t, dir, small())
	assert.Equal(t, []string{"kept", "more"}, mustSpace(t, j, "s").Keys())
}

func TestScrubWhileWritersWrite(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir, small())
	s := mustSpace(t, j, "s")
	stop := make(chan struct{})
	done := make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				done <- n
				return
			default:
			}
			set(t, s, fmt.Sprint("k", n%50), fmt.Sprint(n))
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 5 {
		require.NoError(t, j.Scrub(ctx))
	}
	close(stop)
	n := <-done
	require.NoError(t, j.Close())
	j = mustOpen(t, dir, small())
	s = mustSpace(t, j, "s")
	for i := max(0, n-50); i < n; i++ {
		require.Equal(t, fmt.Sprint(i), string(get(t, s, fmt.Sprint("k", i%50))))
	}
}

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir, small())
	s := mustSpace(t, j, "s")
	began := time.Now().Unix()
	set(t, s, "1", "abc")
	set(t, s, "2", "abc")
	set(t, s, "state", "x")
	digits := func(key string) bool { return key < "a" }
	u := j.Usage(digits)
	require.Len(t, u, 1)
	assert.Equal(t, "s", u[0].Name)
	assert.Equal(t, 2, u[0].Keys)
	assert.Positive(t, u[0].Bytes)
	assert.GreaterOrEqual(t, u[0].Oldest, began)
	_, err := s.Apply([]Op{{Kind: Delete, Key: "1"}}, Lazy)
	require.NoError(t, err)
	assert.Equal(t, 1, j.Usage(digits)[0].Keys)
}
