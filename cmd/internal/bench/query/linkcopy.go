package query

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// A part of a table: partition, first and last block, level, mutation. Its files
// are never written to again, only removed; all others may be.
var partDirectory = regexp.MustCompile(`_[0-9]+_[0-9]+_[0-9]+(_[0-9]+)?$`)

// smallFile is what is copied even in a part: bookkeeping that the engine may write.
const smallFile = 4096

// linkCopy copies a data directory whose engine does not run, and shares the files
// of parts with it: what is stored into the copy leaves the original as it is.
func linkCopy(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case !info.Mode().IsRegular(): // sockets of what ran there
			return nil
		case info.Size() >= smallFile && partDirectory.MatchString(filepath.Base(filepath.Dir(path))):
			return os.Link(path, target)
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		target.Close()
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return target.Close()
}
