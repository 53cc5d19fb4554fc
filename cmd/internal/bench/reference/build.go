package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"time"

	chclient "github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/internal/schema/migrate"

	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

// Builder stores a set in the engine of a data directory.
type Builder struct {
	Dir    string
	Engine clickhouse.Endpoint
	// Limit ends a build in good order after this time; 0 is none. What was stored
	// is gone on with.
	Limit time.Duration
	Say   func(format string, args ...any)
}

// sayEvery is how often progress is told.
const sayEvery = 10 * time.Second

// Build stores what the set misses. The manifest says whether that was all.
func (b *Builder) Build(ctx context.Context, m *Manifest) error {
	start, before := time.Now(), m.Seconds
	store := &chclient.Client{URL: b.Engine.URL, User: b.Engine.User, Password: b.Engine.Password}
	if _, err := migrate.Apply(ctx, store.Query, schema.Options{CreateDatabase: true}, nil); err != nil {
		return fmt.Errorf("schema of the reference set: %w", err)
	}
	m.Schema = schema.Version
	left := m.left()
	records := NewRecords(m.Spec)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16, DisableCompression: true}}
	defer client.CloseIdleConnections()
	work, stop := context.WithCancel(ctx)
	defer stop()

	var mu sync.Mutex
	var problem error
	said, stored := start, 0
	next := func() (chunk int, more bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(left) == 0 || work.Err() != nil || b.Limit > 0 && time.Since(start) > b.Limit {
			return 0, false
		}
		chunk, left = left[0], left[1:]
		return chunk, true
	}
	finish := func(chunk int, rows map[string]int64, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			problem = errors.Join(problem, err)
			stop()
			return
		}
		m.finish(chunk, rows)
		m.Seconds = before + time.Since(start).Seconds()
		if err := m.save(b.Dir); err != nil {
			problem = errors.Join(problem, err)
			stop()
		}
		stored++
		if time.Since(said) > sayEvery || m.Complete() {
			said = time.Now()
			rate := float64(stored) * chunkRequests / time.Since(start).Seconds()
			b.Say("reference set: %d of %d chunks stored, %.0f requests/s", m.Stored(), m.Chunks, rate)
		}
	}
	var workers sync.WaitGroup
	// One more than cores: the engine works while others wait for its disk.
	for range runtime.GOMAXPROCS(0) + 1 {
		workers.Go(func() {
			w := worker{builder: b, client: client, records: records.Clone()}
			for chunk, more := next(); more; chunk, more = next() {
				rows, err := w.store(work, chunk)
				finish(chunk, rows, err)
			}
		})
	}
	workers.Wait()
	return errors.Join(ctx.Err(), problem)
}

// worker makes and stores chunks, one at a time.
type worker struct {
	builder *Builder
	client  *http.Client
	records *Records
	batch   columns.Batch
	encoder columns.Encoder
}

// store makes a chunk and inserts it, a unit for each window of days. The tokens of
// the inserts follow from the chunk, so that one that was stored in part is
// completed.
func (w *worker) store(ctx context.Context, chunk int) (map[string]int64, error) {
	w.records.chunk(chunk, &w.batch)
	rows := map[string]int64{}
	for i, part := range w.batch.Parts() {
		inserts, err := w.encoder.Unit(mix(w.records.spec.Seed^uint64(chunk)<<20^uint64(i)), []*columns.Part{part})
		if err != nil {
			return nil, fmt.Errorf("reference set, chunk %d: %w", chunk, err)
		}
		for _, insert := range inserts {
			if err := w.insert(ctx, &insert); err != nil {
				return nil, fmt.Errorf("reference set, chunk %d: %w", chunk, err)
			}
			rows[insert.Table] += int64(insert.Rows)
		}
	}
	return rows, nil
}

// insert sends one INSERT with the settings of the exporter.
func (w *worker) insert(ctx context.Context, i *columns.Insert) error {
	e := w.builder.Engine
	parameters := url.Values{
		"query":        {fmt.Sprintf("INSERT INTO %s.%s (%s) FORMAT Native", schema.DefaultDatabase, i.Table, i.Columns)},
		"async_insert": {"0"}, "insert_deduplicate": {"1"}, "insert_deduplication_token": {i.Token},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+"/?"+parameters.Encode(), bytes.NewReader(i.Body))
	if err != nil {
		return fmt.Errorf("insert into %s: %w", i.Table, err)
	}
	request.SetBasicAuth(e.User, e.Password)
	response, err := w.client.Do(request)
	if err != nil {
		return fmt.Errorf("insert into %s: %w", i.Table, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("insert into %s: %s: %.500s", i.Table, response.Status, answer), err)
	}
	return nil
}

// NewManifest is of a set that is not begun.
func NewManifest(s Spec) (*Manifest, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("reference set: %w", err)
	}
	return &Manifest{Spec: s, Generator: Generator, Chunk: chunkRequests, Chunks: s.chunks(), Schema: schema.Version}, nil
}
