// Package golden compares what a test made with a file in testdata, so that a change
// of it is seen in review. `go test -update` of a package writes its files anew.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Equal wants the file at path to hold got.
func Equal(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "write it with go test -update")
	assert.Equal(t, string(want), got, "%s: run with -update if the change is meant", path)
}
