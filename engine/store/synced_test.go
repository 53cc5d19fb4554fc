package store_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// attributes is what lsattr says of files and directories.
func attributes(t *testing.T, paths ...string) (out []string) {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "lsattr", append([]string{"-d"}, paths...)...).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		out = append(out, strings.Fields(line)[0])
	}
	return out
}

// hasAttributeS tells whether files in dir can have it; on a tmpfs they cannot.
func hasAttributeS(t *testing.T, dir string) bool {
	t.Helper()
	path := filepath.Join(dir, "probe")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	defer func() { require.NoError(t, os.Remove(path)) }()
	return exec.CommandContext(t.Context(), "chattr", "+S", path).Run() == nil
}

// Appends to deduplication logs are synced, in the files that there are and in those
// that the engine makes later.
func TestSyncLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s, _ := open(t, dir)
	require.NoError(t, s.SyncLogs(), "no table yet")
	ask(t, s.EnginePath(), schema[0], strings.Replace(schema[1], "window = 1000", "window = 3", 1), insert)
	logs, err := filepath.Glob(filepath.Join(s.EnginePath(), "store", "*", "*", "deduplication_logs"))
	require.NoError(t, err)
	require.Len(t, logs, 1)
	if !hasAttributeS(t, s.Dir()) {
		require.ErrorContains(t, s.SyncLogs(), "does not take the attribute S")
		require.NoError(t, s.Close())
		return
	}
	require.NotContains(t, attributes(t, logs[0])[0], "S")

	for range 2 {
		require.NoError(t, s.SyncLogs())
	}
	require.Contains(t, attributes(t, logs[0])[0], "S")
	for i := range 10 {
		ask(t, s.EnginePath(), strings.Replace(insert, "unit-1", "unit-"+string(rune('a'+i)), 1))
	}
	files, err := filepath.Glob(filepath.Join(logs[0], "*"))
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(logs[0], "deduplication_log_1.txt"))
	require.ErrorIs(t, err, os.ErrNotExist, "the engine has ended its first log")
	for i, attribute := range attributes(t, files...) {
		require.Contains(t, attribute, "S", files[i])
	}
	require.NoError(t, s.Close())
}
