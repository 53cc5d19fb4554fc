package adopt

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// window is what was sent of one minute, in a file of its own: a line for each
// batch, written before the batch is sent, and one for each answer.
type window struct {
	path    string
	minute  time.Time
	table   string
	file    *os.File
	sent    map[uint64]int // rows of answered batches, by hash
	rows    int64          // how many
	batches int            // that were ever written down
	pending []entry        // batches without an answer
}

// entry is a line of the file.
type entry struct {
	ID   string   `json:"id,omitempty"`
	Rows []uint64 `json:"rows,omitempty"`
	// Done is the id of a batch that was answered.
	Done string `json:"done,omitempty"`
}

const windowSuffix = ".sent"

func windowPath(dir, table string, minute time.Time) string {
	return filepath.Join(dir, table+"-"+minute.Format("20060102T1504")+windowSuffix)
}

// openWindow reads what was sent of a minute. A last line that was being written
// when the machine stopped is cut off: its batch was not sent.
func openWindow(dir, table string, minute time.Time) (*window, error) {
	w := &window{path: windowPath(dir, table, minute), minute: minute, table: table, sent: map[uint64]int{}}
	content, err := os.ReadFile(w.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("what was sent: %w", err)
	}
	whole := bytes.LastIndexByte(content, '\n') + 1
	if err := w.read(content[:whole]); err != nil {
		return nil, err
	}
	if w.file, err = os.OpenFile(w.path, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, fmt.Errorf("what was sent: %w", err)
	}
	err = w.file.Truncate(int64(whole))
	if err == nil {
		_, err = w.file.Seek(int64(whole), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("what was sent: %w", err), w.file.Close())
	}
	return w, nil
}

func (w *window) read(content []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	for n := 1; lines.Scan(); n++ {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("%s:%d: what was sent cannot be read: %w; remove the directory to adopt everything anew", w.path, n, err)
		}
		if e.Done == "" {
			w.batches++
			w.pending = append(w.pending, e)
			continue
		}
		w.answered(e.Done)
	}
	return lines.Err()
}

func (w *window) answered(id string) {
	for i, p := range w.pending {
		if p.ID != id {
			continue
		}
		for _, hash := range p.Rows {
			w.sent[hash]++
		}
		w.rows += int64(len(p.Rows))
		w.pending = append(w.pending[:i], w.pending[i+1:]...)
		return
	}
}

// begin writes a batch down, durably, and gives its id: a function of what is in
// it, so that even a lost file leads to the same id.
func (w *window) begin(hashes []uint64) (id string, err error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %d ", w.table, w.minute.Unix(), w.batches)
	for _, hash := range hashes {
		h.Write(binary.LittleEndian.AppendUint64(nil, hash))
	}
	e := entry{ID: "adopt-" + hex.EncodeToString(h.Sum(nil)[:16]), Rows: hashes}
	if err := w.write(e); err != nil {
		return "", err
	}
	if err := w.file.Sync(); err != nil {
		return "", fmt.Errorf("what was sent: %w", err)
	}
	w.batches++
	w.pending = append(w.pending, e)
	return e.ID, nil
}

// done writes down that a batch was answered. It is not synced: without it, the
// batch is sent again under its id.
func (w *window) done(id string) error {
	if err := w.write(entry{Done: id}); err != nil {
		return err
	}
	w.answered(id)
	return nil
}

func (w *window) write(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := w.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("what was sent: %w", err)
	}
	return nil
}

func (w *window) close() error { return w.file.Close() }
