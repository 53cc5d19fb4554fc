package harness

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Root is the repository's root directory.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("harness: cannot tell where its own source is")
	}
	if filepath.IsAbs(file) {
		return filepath.Dir(filepath.Dir(filepath.Dir(file)))
	}
	// With -trimpath the file is relative: look for the root from the working
	// directory, which go test sets to the package's.
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal("harness:", err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "builder-config.yaml")); err == nil {
			return dir
		}
	}
	t.Fatal("harness: no builder-config.yaml in any directory above the test's")
	return ""
}

// Binary gives the path of a built binary, in bin or in the directory that
// $TRACKWAY_BIN names, and fails the test, naming the make target, where it has
// not been built.
func Binary(t testing.TB, name, target string) string {
	t.Helper()
	dir := os.Getenv("TRACKWAY_BIN")
	if dir == "" {
		dir = filepath.Join(Root(t), "bin")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is not built: run `make %s` (%v)", path, target, err)
	}
	return path
}

// Trackway is the command line's path.
func Trackway(t testing.TB) string { return Binary(t, "trackway", "cli") }

// Collector is the collector distribution's path.
func Collector(t testing.TB) string { return Binary(t, "trackway-collector", "collector") }

// Library is the engine library's path: $TRACKWAY_LIBCHDB, or the one that make
// fetched.
func Library(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("TRACKWAY_LIBCHDB"); path != "" {
		return path
	}
	root := Root(t)
	for _, pattern := range []string{"bin/libchdb.so", "engine/library/node_modules/@chdb/*/libchdb.so"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err == nil && len(found) > 0 {
			return found[0]
		}
	}
	t.Fatal("the engine library is missing: run `make engine-library`, or set TRACKWAY_LIBCHDB to its path")
	return ""
}
