package clickhouserollupexporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/deadletter"
)

// world is what survives a collector: a storage and a store. It remembers its state
// after every change, which is what a crash at that moment leaves.
type world struct {
	component.StartFunc
	component.ShutdownFunc

	mu     sync.Mutex
	values map[string]string // of the queue's storage
	// held is what a queue that recovers has deleted and not yet put back: as
	// journal_storage does, its deletes are held back until then.
	held   map[string]string
	tokens map[string]bool // of the store
	// rows counts, by table and request id, how often the id was stored: a constant
	// for each row that carries it.
	rows   map[string]map[string]int
	images []image
	// refuse, if not nil, is asked about each insert.
	refuse func(table string, body []byte) bool
	acked  map[string]int // of what senders were told is durable, by request id
}

// image is a world at a moment.
type image struct {
	values map[string]string
	tokens map[string]bool
	rows   map[string]map[string]int
	acked  map[string]int
	event  string
}

// requestIDs finds the ids that send gives.
var requestIDs = regexp.MustCompile(`id-[0-9]-[0-9]`)

func newWorld() *world {
	return &world{values: map[string]string{}, held: map[string]string{}, tokens: map[string]bool{}, rows: map[string]map[string]int{}, acked: map[string]int{}}
}

// worldOf is the world in which a collector starts after a crash.
func worldOf(i image, refuse func(string, []byte) bool) *world {
	w := &world{refuse: refuse, values: maps.Clone(i.values), held: map[string]string{}, tokens: maps.Clone(i.tokens), rows: map[string]map[string]int{}, acked: maps.Clone(i.acked)}
	for table, rows := range i.rows {
		w.rows[table] = maps.Clone(rows)
	}
	return w
}

// happened takes an image. Callers hold the lock.
func (w *world) happened(event string) {
	values := maps.Clone(w.values)
	maps.Copy(values, w.held)
	i := image{values: values, tokens: maps.Clone(w.tokens), rows: map[string]map[string]int{}, acked: maps.Clone(w.acked), event: event}
	for table, rows := range w.rows {
		i.rows[table] = maps.Clone(rows)
	}
	w.images = append(w.images, i)
}

func (w *world) GetClient(_ context.Context, _ component.Kind, _ component.ID, name string) (storage.Client, error) {
	return &worldClient{w: w, prefix: name + "/"}, nil
}

// worldClient is a storage client whose changes are durable one by one.
type worldClient struct {
	w      *world
	prefix string
}

func (c *worldClient) Get(ctx context.Context, key string) ([]byte, error) {
	op := storage.GetOperation(key)
	err := c.Batch(ctx, op)
	return op.Value, err
}

func (c *worldClient) Set(ctx context.Context, key string, value []byte) error {
	return c.Batch(ctx, storage.SetOperation(key, value))
}

func (c *worldClient) Delete(ctx context.Context, key string) error {
	return c.Batch(ctx, storage.DeleteOperation(key))
}

func (c *worldClient) Batch(_ context.Context, ops ...*storage.Operation) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	event := ""
	recovering := !slices.ContainsFunc(ops, func(op *storage.Operation) bool { return op.Type != storage.Delete })
	for _, op := range ops {
		switch key := c.prefix + op.Key; op.Type {
		case storage.Get:
			op.Value = nil
			if v, ok := c.w.values[key]; ok {
				op.Value = []byte(v)
			}
		case storage.Set:
			for old, value := range c.w.held {
				if value == string(op.Value) {
					delete(c.w.held, old)
					break
				}
			}
			c.w.values[key] = string(op.Value)
			event += " set " + op.Key
		case storage.Delete:
			if recovering {
				c.w.held[key] = c.w.values[key]
			}
			delete(c.w.values, key)
			event += " delete " + op.Key
		}
	}
	if event != "" {
		c.w.happened(event)
	}
	return nil
}

func (c *worldClient) Walk(_ context.Context, fn storage.WalkFunc) error {
	c.w.mu.Lock()
	values := maps.Clone(c.w.values)
	c.w.mu.Unlock()
	for key, value := range values {
		key, ok := strings.CutPrefix(key, c.prefix)
		if !ok {
			continue
		}
		if _, err := fn(key, []byte(value)); errors.Is(err, storage.SkipAll) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (c *worldClient) Close(context.Context) error { return nil }

// queued is how many items the queue's storage has.
func (w *world) queued() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key := range w.values {
		if _, key, _ := strings.Cut(key, "/"); isItemKey(key) {
			n++
		}
	}
	return n
}

// ServeHTTP is the store: it stores a block whose token is new.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	table, _, isInsert := strings.Cut(strings.TrimPrefix(r.URL.Query().Get("query"), "INSERT INTO trackway."), " ")
	body, err := io.ReadAll(r.Body)
	if err != nil || !isInsert {
		return
	}
	token := r.URL.Query().Get("insert_deduplication_token")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuse != nil && w.refuse(table, body) {
		rw.Header().Set("X-ClickHouse-Exception-Code", "469")
		rw.WriteHeader(http.StatusInternalServerError)
		return
	}
	if !w.tokens[token] {
		w.tokens[token] = true
		if w.rows[table] == nil {
			w.rows[table] = map[string]int{}
		}
		for _, id := range requestIDs.FindAll(body, -1) {
			w.rows[table][string(id)]++
		}
	}
	w.happened("insert " + token)
}

// startIn runs an exporter in a world, with dead letters in a directory.
func startIn(t *testing.T, w *world, letters string) *shared {
	t.Helper()
	server := httptest.NewServer(w)
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.ClickHouse.Endpoint = server.URL
	id := component.MustNewID("world")
	cfg.Queue.Get().StorageID, cfg.Queue.Get().WaitForResult, cfg.Queue.Get().NumConsumers = &id, false, 8
	cfg.DeadLetter.Directory = letters
	cfg.Unit.MaxAge = 2 * time.Millisecond
	cfg.Retry.InitialInterval, cfg.Retry.MaxInterval = time.Millisecond, 10*time.Millisecond
	made, err := NewFactory().CreateTraces(context.Background(), settings(), cfg)
	require.NoError(t, err)
	e := made.(*shared)
	e.inserter.store.ready = true
	require.NoError(t, e.Start(context.Background(), worldHost{map[component.ID]component.Component{id: w}}))
	t.Cleanup(func() {
		assert.NoError(t, e.Shutdown(context.Background()))
		server.Close()
	})
	return e
}

type worldHost struct {
	extensions map[component.ID]component.Component
}

func (h worldHost) GetExtensions() map[component.ID]component.Component { return h.extensions }

// send sends a delivery of rows over two windows of days, under a request id.
func (w *world) send(t *testing.T, e *shared, id string, rows int) {
	t.Helper()
	td := requestTraces(rows, time.Now())
	for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		s.Attributes().PutStr("trackway.request.id", id)
		if i%2 == 1 {
			s.SetStartTimestamp(s.StartTimestamp() - 5*86400e9)
			s.SetEndTimestamp(s.EndTimestamp() - 5*86400e9)
		}
	}
	assert.NoError(t, e.ConsumeTraces(context.Background(), td))
	w.mu.Lock()
	w.acked[id] = rows
	w.happened("ack " + id)
	w.mu.Unlock()
}

// drained waits until all is stored, and checks that what was acknowledged is stored
// once and the rest once or not at all; want is how often an id is stored by table.
func (w *world) drained(t *testing.T, want map[string]int, what string) {
	t.Helper()
	require.Eventually(t, func() bool { return w.queued() == 0 }, 20*time.Second, time.Millisecond, what)
	w.mu.Lock()
	defer w.mu.Unlock()
	for table, times := range want {
		for id := range w.acked {
			assert.Equal(t, times, w.rows[table][id], "%s of %s, which was acknowledged: %s", table, id, what)
		}
		for id, n := range w.rows[table] {
			assert.Equal(t, times, n, "%s of %s: %s", table, id, what)
		}
	}
}

// crashEverywhere starts again from every image of a world, and once more from a
// moment of that recovery.
func crashEverywhere(t *testing.T, w *world, letters string, want map[string]int) {
	t.Helper()
	images := w.images
	t.Logf("%d crash points", len(images))
	for n, i := range images {
		again := worldOf(i, w.refuse)
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			startIn(t, again, letters)
			again.drained(t, want, fmt.Sprintf("crash %d, after%s", n, i.event))
		})
		if len(again.images) == 0 {
			continue
		}
		second := again.images[rand.IntN(len(again.images))]
		third := worldOf(second, w.refuse)
		t.Run(fmt.Sprint(n, " again"), func(t *testing.T) {
			startIn(t, third, letters)
			third.drained(t, want, fmt.Sprintf("crash %d, after%s, and then after%s", n, i.event, second.event))
		})
	}
}

// TestEveryCrashPoint sends deliveries from several senders, and starts again from
// what was there after every single change of the storage or the store.
func TestEveryCrashPoint(t *testing.T) {
	const senders, each, rows = 4, 2, 6
	w, letters, want := newWorld(), t.TempDir(), map[string]int{}
	t.Run("first", func(t *testing.T) {
		e := startIn(t, w, letters)
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for n := range each {
					w.send(t, e, fmt.Sprintf("id-%d-%d", s, n), rows)
				}
			})
		}
		wg.Wait()
		w.drained(t, nil, "without a crash")
		assert.Len(t, w.rows["requests"], senders*each)
		for _, table := range []string{"requests", "events"} {
			want[table] = w.rows[table]["id-0-0"]
			assert.GreaterOrEqual(t, want[table], rows)
		}
		w.drained(t, want, "without a crash")
	})
	crashEverywhere(t, w, letters, want)
}

// TestRefusedItemIsIsolated sends one item that the store refuses among others, and
// crashes at every point of the search for it.
func TestRefusedItemIsIsolated(t *testing.T) {
	const rows = 6
	w, letters, want := newWorld(), t.TempDir(), map[string]int{}
	w.refuse = func(table string, body []byte) bool {
		return table == "requests" && bytes.Contains(body, []byte("poison"))
	}
	t.Run("first", func(t *testing.T) {
		e := startIn(t, w, letters)
		var wg sync.WaitGroup
		for s := range 3 {
			wg.Go(func() { w.send(t, e, fmt.Sprintf("id-%d-0", s), rows) })
		}
		wg.Go(func() {
			td := requestTraces(5, time.Now())
			td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(3).Attributes().PutStr("trackway.request.id", "poison")
			assert.NoError(t, e.ConsumeTraces(context.Background(), td))
		})
		wg.Wait()
		w.drained(t, nil, "without a crash")
		want["requests"] = w.rows["requests"]["id-0-0"]
		w.drained(t, want, "without a crash")
		list, err := e.letters.List()
		require.NoError(t, err)
		require.Len(t, list, 1)
		assert.Equal(t, 469, list[0].Code)
		assert.Equal(t, "requests", list[0].Table)
		assert.Equal(t, 1, list[0].Items)
		letter, err := e.letters.Read(list[0].ID)
		require.NoError(t, err)
		b, err := columns.Decode(letter.Payload)
		require.NoError(t, err)
		assert.Equal(t, "poison", b.Parts()[0].Records()[0].RequestID)
	})
	crashEverywhere(t, w, letters, want)
	store, err := deadletter.Open(letters, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	list, err := store.List()
	require.NoError(t, err)
	assert.Len(t, list, 1, "the item is a dead letter once, however often the search began anew")
}
