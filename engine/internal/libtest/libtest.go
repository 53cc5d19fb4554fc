// Package libtest finds the engine library for tests, which never run without it.
package libtest

import (
	"errors"
	"os"
	"path/filepath"
)

// Find returns the absolute path of libchdb.so: TRACKWAY_LIBCHDB, else
// bin/libchdb.so or engine/library/node_modules of the repository that holds
// the working directory. The error says how to get it.
func Find() (string, error) {
	if path := os.Getenv("TRACKWAY_LIBCHDB"); path != "" {
		return filepath.Abs(path)
	}
	directory, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		for _, pattern := range []string{"bin/libchdb.so", "engine/library/node_modules/@chdb/*/libchdb.so"} {
			if found, err := filepath.Glob(filepath.Join(directory, pattern)); err == nil && len(found) > 0 {
				return found[0], nil
			}
		}
		parent := filepath.Dir(directory)
		if parent == directory {
			return "", errors.New("libchdb.so is neither in bin/ nor in engine/library/node_modules: run `make engine-library`, or set TRACKWAY_LIBCHDB")
		}
		directory = parent
	}
}
