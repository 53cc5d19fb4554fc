package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/trackwayhq/trackway/internal/statefile"
)

// manifestFile lies in the data directory beside the store.
const manifestFile = "reference.json"

// Manifest says what a data directory holds, and how far the build got.
type Manifest struct {
	Spec
	Generator int `json:"generator"`
	Chunk     int `json:"chunk_requests"`
	Chunks    int `json:"chunks"`
	// Schema is the version of the schema that the rows were inserted into.
	Schema int `json:"schema"`
	// Done chunks from the first are all stored, and those in Ahead.
	Done  int   `json:"done"`
	Ahead []int `json:"ahead,omitempty"`
	// Inserted rows by table.
	Inserted map[string]int64 `json:"inserted"`
	Seconds  float64          `json:"seconds"` // of building
	// Settled says that merges were waited for and rows counted.
	Settled bool `json:"settled"`
	// Optimized partitions were merged into one part each.
	Optimized []string `json:"optimized,omitempty"`
}

// ErrNone says that there is no set in a data directory.
var ErrNone = errors.New("there is no reference set")

// Load reads the manifest of a data directory.
func Load(dir string) (*Manifest, error) {
	content, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("reference set: %w", err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(content, m); err != nil {
		return nil, fmt.Errorf("reference set %s: %w", filepath.Join(dir, manifestFile), err)
	}
	if m.Generator != Generator || m.Chunk != chunkRequests || m.Chunks != m.chunks() {
		return nil, fmt.Errorf("reference set %s was made by generator %d in chunks of %d, this program has %d and %d: build another one in another directory, or remove it",
			dir, m.Generator, m.Chunk, Generator, chunkRequests)
	}
	return m, m.Validate()
}

func (m *Manifest) save(dir string) error {
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("reference set: %w", err)
	}
	if err := statefile.Replace(filepath.Join(dir, manifestFile), append(content, '\n'), time.Now()); err != nil {
		return fmt.Errorf("reference set: %w", err)
	}
	return nil
}

// Complete says whether all rows are stored.
func (m *Manifest) Complete() bool { return m.Done == m.Chunks }

// Stored is how many chunks are.
func (m *Manifest) Stored() int { return m.Done + len(m.Ahead) }

// finish marks a chunk as stored.
func (m *Manifest) finish(chunk int, rows map[string]int64) {
	total := maps.Clone(m.Inserted)
	if total == nil {
		total = map[string]int64{}
	}
	for table, n := range rows {
		total[table] += n
	}
	m.Inserted = total
	ahead := map[int]bool{chunk: true}
	for _, c := range m.Ahead {
		ahead[c] = true
	}
	for ahead[m.Done] {
		delete(ahead, m.Done)
		m.Done++
	}
	m.Ahead = m.Ahead[:0]
	for c := range ahead {
		m.Ahead = append(m.Ahead, c)
	}
}

// left are the chunks that are to be stored.
func (m *Manifest) left() []int {
	ahead := map[int]bool{}
	for _, c := range m.Ahead {
		ahead[c] = true
	}
	var out []int
	for c := m.Done; c < m.Chunks; c++ {
		if !ahead[c] {
			out = append(out, c)
		}
	}
	return out
}
