package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// FormatVersion is the version of the data directory's layout that this build
// writes and reads. A change that an older build would misread raises it.
const FormatVersion = 1

const versionPrefix = "trackway data directory, format "

// checkVersion reads the VERSION file and writes it into a new directory.
// created tells which.
func checkVersion(dir string) (created bool, err error) {
	path := filepath.Join(dir, versionFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, initVersion(dir, path)
	}
	if err != nil {
		return false, fmt.Errorf("read the data directory's version: %w", err)
	}
	number, ok := strings.CutPrefix(strings.TrimSpace(string(text)), versionPrefix)
	version, convErr := strconv.Atoi(number)
	if !ok || convErr != nil || version < 1 {
		return false, fmt.Errorf("%s says %q, want %q and a number: not a Trackway data directory, or damaged; choose another with --data", path, clip(text), versionPrefix)
	}
	if version > FormatVersion {
		return false, fmt.Errorf("the data directory %s has format %d and this build reads up to %d: a newer Trackway wrote it, start that one, or choose another directory with --data", dir, version, FormatVersion)
	}
	return false, nil
}

func initVersion(dir, path string) error {
	entries, err := os.ReadDir(filepath.Join(dir, engineDir))
	if err != nil {
		return fmt.Errorf("look into the store: %w", err)
	}
	if len(entries) > 0 {
		return versionMissing(dir)
	}
	return replaceFile(path, filepath.Join(dir, runDir), []byte(versionPrefix+strconv.Itoa(FormatVersion)+"\n"))
}

func versionMissing(dir string) error {
	return fmt.Errorf("%s holds a store but no %s file: restore the file if the directory was copied (its text is %q), or choose another directory with --data",
		dir, versionFile, versionPrefix+strconv.Itoa(FormatVersion))
}

// clip shortens foreign text for a message.
func clip(text []byte) string {
	const most = 80
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
