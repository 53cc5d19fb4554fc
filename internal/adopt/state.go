package adopt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// cursor is how far a table has been adopted: the first minute that is not done.
type cursor struct {
	Table string    `json:"table"`
	Next  time.Time `json:"next"`
}

func cursorPath(dir, table string) string { return filepath.Join(dir, table+".json") }

// loadCursor gives the zero time for a table that was never adopted.
func loadCursor(dir, table string) (time.Time, error) {
	content, err := os.ReadFile(cursorPath(dir, table))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	var c cursor
	if err == nil {
		err = json.Unmarshal(content, &c)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("cursor %s: %w", cursorPath(dir, table), err)
	}
	return c.Next, nil
}

// saveCursor replaces the cursor durably.
func saveCursor(dir, table string, next time.Time) error {
	content, err := json.Marshal(cursor{Table: table, Next: next})
	if err != nil {
		return err
	}
	path := cursorPath(dir, table)
	f, err := os.Create(path + ".new")
	if err != nil {
		return fmt.Errorf("cursor: %w", err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("cursor: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("cursor: %w", err)
	}
	return nil
}

// prune removes what was sent of minutes before a time.
func prune(dir, table string, before time.Time) error {
	names, err := filepath.Glob(filepath.Join(dir, table+"-*"+windowSuffix))
	if err != nil {
		return err
	}
	for _, name := range names {
		text := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), table+"-"), windowSuffix)
		if minute, err := time.Parse("20060102T1504", text); err == nil && minute.Before(before) {
			if err := os.Remove(name); err != nil {
				return fmt.Errorf("what was sent: %w", err)
			}
		}
	}
	return nil
}
