package enginetest

import (
	"errors"
	"os"
	"path/filepath"
)

// Binary returns the path of the trackway program. TRACKWAY_BIN may name it or,
// as for the black-box tests, the directory it is in.
func Binary() (string, error) {
	if path := os.Getenv("TRACKWAY_BIN"); path != "" {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = filepath.Join(path, "trackway")
		}
		return filepath.Abs(path)
	}
	if path := upward("bin/trackway"); path != "" {
		return path, nil
	}
	return "", errors.New("the program bin/trackway is not built: run `make build`, or set TRACKWAY_BIN")
}

// Library returns the path of libchdb.so: TRACKWAY_LIBCHDB, else bin/libchdb.so,
// else the one npm put into engine/library.
func Library() (string, error) {
	if path := os.Getenv("TRACKWAY_LIBCHDB"); path != "" {
		return filepath.Abs(path)
	}
	if path := upward("bin/libchdb.so", "engine/library/node_modules/@chdb/*/libchdb.so"); path != "" {
		return path, nil
	}
	return "", errors.New("libchdb.so is neither in bin/ nor in engine/library/node_modules: run `make engine-library`, or set TRACKWAY_LIBCHDB")
}

// upward returns the first file that matches a pattern in the working directory
// or one above it, "" without one.
func upward(patterns ...string) string {
	directory, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		for _, pattern := range patterns {
			if found, err := filepath.Glob(filepath.Join(directory, pattern)); err == nil && len(found) > 0 {
				return found[0]
			}
		}
		parent := filepath.Dir(directory)
		if parent == directory {
			return ""
		}
		directory = parent
	}
}
