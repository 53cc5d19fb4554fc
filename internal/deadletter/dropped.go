package deadletter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// droppedName is the file that lists what was dropped while no collector ran, one
// entry without its payload a line. The next collector counts them.
const droppedName = "DROPPED"

// DropUncounted removes a selection of entries for somebody who cannot count them
// in the delivery ledger, and notes them down for who can; see Uncounted.
func (s *Store) DropUncounted(sel Selection) (Outcome, error) {
	return s.take(sel, s.noteDropped)
}

// noteDropped is durable before the entry is removed. A crash in between, and a
// repetition, note it twice; the reader tells by its id.
func (s *Store) noteDropped(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, droppedName)
	f, err := os.OpenFile(filepath.Clean(path), os.O_WRONLY|os.O_CREATE|os.O_APPEND, fileMode)
	if err != nil {
		return roomError(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return roomError(err)
	}
	return errors.Join(s.syncFile(f), s.syncDir())
}

// Uncounted gives the entries, without payloads, that were dropped by DropUncounted
// since Counted was called.
func (s *Store) Uncounted() ([]Entry, error) {
	path := filepath.Join(s.dir, droppedName)
	data, err := os.ReadFile(filepath.Clean(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("dead letters: %w", err)
	}
	var out []Entry
	for line := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(line, &e) != nil {
			continue // cut by a crash: the entry was not removed
		}
		out = append(out, e)
	}
	return out, nil
}

// Counted forgets what Uncounted gave.
func (s *Store) Counted() error {
	err := os.Remove(filepath.Join(s.dir, droppedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, s.syncDir())
}
