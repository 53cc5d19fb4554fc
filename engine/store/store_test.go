package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/engine/store"
)

func open(t *testing.T, dir string) (*store.Store, store.Report) {
	t.Helper()
	s, report, err := store.Open(t.Context(), dir, store.Options{LockWait: -1})
	require.NoError(t, err)
	return s, report
}

func TestOpenMakesTheLayout(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := filepath.Join(t.TempDir(), "a", "data")
	s, report := open(t, dir)
	require.True(t, report.Created)
	require.False(t, report.Unclean)
	for _, name := range []string{"store", "journal", "deadletter", "run"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.True(t, info.IsDir())
		require.Zero(t, info.Mode().Perm()&0o077, "%s is open to others", name)
	}
	require.Equal(t, filepath.Join(dir, "store"), s.EnginePath())
	require.FileExists(t, filepath.Join(dir, "DIRTY"))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.NoFileExists(t, filepath.Join(dir, "DIRTY"))

	s, report = open(t, dir)
	require.False(t, report.Created)
	require.False(t, report.Unclean)
	require.NoError(t, s.Close())
}

func TestRelativePathsBecomeAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	s, _ := open(t, "data")
	require.True(t, filepath.IsAbs(s.EnginePath()))
	require.NoError(t, s.Close())
}

func TestAnAbandonedStoreIsUnclean(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	require.NoError(t, s.Abandon())
	s, report := open(t, dir)
	require.True(t, report.Unclean)
	require.NoError(t, s.Abandon())
	s, report = open(t, dir)
	require.True(t, report.Unclean, "stays so until a clean stop")
	require.NoError(t, s.Close())
	s, report = open(t, dir)
	require.False(t, report.Unclean)
	require.NoError(t, s.Close())
}

func TestOneEngineADirectory(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	_, _, err := store.Open(t.Context(), dir, store.Options{LockWait: -1})
	require.ErrorIs(t, err, store.ErrInUse)
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, "process")
	require.ErrorContains(t, err, "--data")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = store.Open(ctx, dir, store.Options{LockWait: time.Hour})
	require.ErrorIs(t, err, context.Canceled)

	// A waiter gets the directory when the holder lets go.
	opened := make(chan error, 1)
	go func() {
		waiting, _, err := store.Open(context.Background(), dir, store.Options{LockWait: time.Minute})
		if err == nil {
			err = waiting.Close()
		}
		opened <- err
	}()
	require.NoError(t, s.Close())
	require.NoError(t, <-opened)
}

func TestVersionFile(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"newer":   {"trackway data directory, format 2\n", "a newer Trackway wrote it"},
		"foreign": {"17\n", "not a Trackway data directory"},
		"zero":    {"trackway data directory, format 0\n", "not a Trackway data directory"},
		"empty":   {"", "not a Trackway data directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, _ := open(t, dir)
			require.NoError(t, s.Close())
			require.NoError(t, os.WriteFile(filepath.Join(dir, "VERSION"), []byte(c.text), 0o600))
			_, _, err := store.Open(t.Context(), dir, store.Options{LockWait: -1})
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, dir)
			// The lock is not kept: mending the file is enough.
			require.NoError(t, os.WriteFile(filepath.Join(dir, "VERSION"), []byte("trackway data directory, format 1\n"), 0o600))
			s, _ = open(t, dir)
			require.NoError(t, s.Close())
		})
	}
	t.Run("a store without one", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "store", "metadata"), 0o700))
		_, _, err := store.Open(t.Context(), dir, store.Options{LockWait: -1})
		require.ErrorContains(t, err, "no VERSION file")
	})
}

const uuid = "e966578d-5b4e-48f8-84b5-da5ced954587"

// tableFiles lays out a table as the engine does; parts are directories.
func tableFiles(t *testing.T, dir string, logs map[string]string, parts ...string) (tableDir string) {
	t.Helper()
	engine := filepath.Join(dir, "store")
	tableDir = filepath.Join(engine, "store", uuid[:3], uuid)
	for _, p := range append(parts, "detached", "deduplication_logs") {
		require.NoError(t, os.MkdirAll(filepath.Join(tableDir, p), 0o750))
	}
	require.NoError(t, os.WriteFile(filepath.Join(tableDir, "format_version.txt"), []byte("1"), 0o600))
	for name, text := range logs {
		require.NoError(t, os.WriteFile(filepath.Join(tableDir, "deduplication_logs", name), []byte(text), 0o640))
	}
	meta := filepath.Join(engine, "metadata", "my%2Ddb")
	require.NoError(t, os.MkdirAll(meta, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(meta, "requests.sql"), []byte("ATTACH TABLE _ UUID '"+uuid+"'\n(\n    `ts` DateTime\n)"), 0o600))
	return tableDir
}

// dirty makes a data directory that was not closed.
func dirty(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, _ := open(t, dir)
	require.NoError(t, s.Abandon())
	return dir
}

func TestCheckDropsRecordsWithoutAPart(t *testing.T) {
	dir := dirty(t)
	table := tableFiles(t, dir, map[string]string{
		"deduplication_log_2.txt":  "1\t20260102_4_4_0\tD\n1\t20260102_5_5_0\tE\n",
		"deduplication_log_10.txt": "1\t20260102_6_6_0\tF\n2\t20260102_5_5_0\tE\n1\t20260103_7",
	}, "20260102_4_4_0", "tmp_insert_20260102_6_6_0", "tmp_merge_20260102_4_6_1")
	log2, log10 := filepath.Join(table, "deduplication_logs", "deduplication_log_2.txt"), filepath.Join(table, "deduplication_logs", "deduplication_log_10.txt")

	s, report := open(t, dir)
	require.Equal(t, []store.Dropped{{Table: "my-db.requests", Part: "20260102_6_6_0", BlockID: "F", File: log10, Line: 1}}, report.Dropped)
	require.Equal(t, []store.Torn{{Table: "my-db.requests", File: log10, Line: 3, Bytes: 12}}, report.Torn)
	require.Equal(t, 1, report.Tables)
	require.Equal(t, 4, report.Records)
	require.Contains(t, report.String(), "dropped 1 without a part and 1 torn lines; my-db.requests part 20260102_6_6_0 (deduplication_log_10.txt:1)")
	requireFile(t, log2, "1\t20260102_4_4_0\tD\n1\t20260102_5_5_0\tE\n")
	requireFile(t, log10, "2\t20260102_5_5_0\tE\n")
	info, err := os.Stat(log10)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())

	// Killed again before anything new: nothing is left to do.
	require.NoError(t, s.Abandon())
	s, report = open(t, dir)
	require.True(t, report.Unclean)
	require.Empty(t, report.Dropped)
	require.Empty(t, report.Torn)
	require.NoError(t, s.Close())
}

func TestACleanStoreIsNotChecked(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	require.NoError(t, s.Close())
	table := tableFiles(t, dir, map[string]string{"deduplication_log_1.txt": "1\t20260102_4_4_0\tD\n"})
	s, report := open(t, dir)
	require.Zero(t, report.Records)
	requireFile(t, filepath.Join(table, "deduplication_logs", "deduplication_log_1.txt"), "1\t20260102_4_4_0\tD\n")
	require.NoError(t, s.Close())
}

func TestCheckRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		says       string
	}{
		"a damaged line":   {"deduplication_logs/deduplication_log_1.txt", "1\tp_1_1_0\tA\nwhat\n1\tp_3_3_0\tC\n", "deduplication_log_1.txt:2: "},
		"a foreign file":   {"deduplication_logs/notes.txt", "hello", "notes.txt: want only files named"},
		"old part names":   {"format_version.txt", "0", "format_version.txt:1: "},
		"a copy of a file": {"deduplication_logs/deduplication_log_1.txt.bak", "", "deduplication_log_1.txt.bak: want only"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := dirty(t)
			table := tableFiles(t, dir, map[string]string{"deduplication_log_3.txt": "1\tp_9_9_0\tZ\n"})
			require.NoError(t, os.WriteFile(filepath.Join(table, c.file), []byte(c.text), 0o600))
			_, report, err := store.Open(t.Context(), dir, store.Options{LockWait: -1})
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "my-db.requests")
			require.True(t, report.Unclean)
			requireFile(t, filepath.Join(table, "deduplication_logs", "deduplication_log_3.txt"), "1\tp_9_9_0\tZ\n")
			require.FileExists(t, filepath.Join(dir, "DIRTY"))
		})
	}
}

func TestUnfinishedReplacementsAreRemoved(t *testing.T) {
	dir := dirty(t)
	left := filepath.Join(dir, "run", ".replace-123")
	require.NoError(t, os.WriteFile(left, []byte("half"), 0o600))
	s, _ := open(t, dir)
	require.NoFileExists(t, left)
	require.NoError(t, s.Close())
}

func requireFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}
