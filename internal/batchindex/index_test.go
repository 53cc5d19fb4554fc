package batchindex_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/trackwayhq/trackway/extension/journalstorageextension"
	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/batchindex"
)

// life is one life of an index over a real journal, beside a queue.
type life struct {
	*batchindex.Index
	client storage.Client
	queue  storage.Client
	stop   func()
}

func begin(t *testing.T, dir string, opts batchindex.Options) *life {
	t.Helper()
	f := journalstorageextension.NewFactory()
	cfg := f.CreateDefaultConfig().(*journalstorageextension.Config)
	cfg.Directory, cfg.SegmentBytes, cfg.MaxBytes = dir, 1<<20, 32<<20
	e, err := f.Create(t.Context(), extensiontest.NewNopSettings(f.Type()), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	l := &life{stop: sync.OnceFunc(func() { require.NoError(t, e.Shutdown(context.Background())) })}
	t.Cleanup(l.stop)
	open := func(kind component.Kind, name string) storage.Client {
		c, err := e.(storage.Extension).GetClient(t.Context(), kind, component.MustNewID("test"), name)
		require.NoError(t, err)
		return c
	}
	l.client, l.queue = open(component.KindExtension, "ids"), open(component.KindExporter, "queue")
	l.Index, err = batchindex.Open(t.Context(), l.client.(alongside.Client), opts)
	require.NoError(t, err)
	return l
}

// take does what an exporter does with a batch, and gives the answer.
func (l *life) take(t *testing.T, id string, offer func(ctx context.Context) error) (string, bool, error) {
	t.Helper()
	key := batchindex.KeyOf("shop", id, 1)
	answer, known, err := l.Begin(t.Context(), key)
	if known || err != nil {
		return string(answer), known, err
	}
	defer l.End(key)
	ctx, _ := alongside.NewContext(t.Context(), l.Remember(key, []byte("answer to "+id)))
	return "answer to " + id, false, offer(ctx)
}

func (l *life) store(ctx context.Context) error { return l.queue.Set(ctx, "1", []byte("batch")) }

var options = batchindex.Options{MaxIDs: 1_000_000, Remember: 24 * time.Hour}

func TestARepeatGetsTheFirstAnswerAfterARestart(t *testing.T) {
	dir := t.TempDir()
	l := begin(t, dir, options)
	for i := range 1300 {
		_, known, err := l.take(t, fmt.Sprint("b", i), l.store)
		require.NoError(t, err)
		require.False(t, known)
	}
	check := func() {
		t.Helper()
		for _, id := range []string{"b0", "b511", "b512", "b1100", "b1299"} {
			answer, known, err := l.take(t, id, l.store)
			require.NoError(t, err)
			require.True(t, known, id)
			require.Equal(t, "answer to "+id, answer)
		}
	}
	check()
	require.NoError(t, l.Keep(t.Context()))
	check()
	assert.Len(t, l.client.(alongside.Client).Keys(), 2+1300-2*512, "pages keep the journal's index small")
	l.stop()
	l = begin(t, dir, options)
	check()
	assert.EqualValues(t, 1300, l.Stats().IDs)
	_, known, err := l.take(t, "new", l.store)
	require.NoError(t, err)
	assert.False(t, known)
	require.NoError(t, l.Keep(t.Context()))
	check()
}

func TestARefusedBatchIsNotRemembered(t *testing.T) {
	l := begin(t, t.TempDir(), options)
	full := errors.New("the queue is full")
	_, known, err := l.take(t, "b", func(context.Context) error { return full })
	require.ErrorIs(t, err, full)
	require.False(t, known)
	_, known, err = l.take(t, "b", l.store)
	require.NoError(t, err)
	assert.False(t, known)
}

func TestConcurrentDuplicatesWait(t *testing.T) {
	l := begin(t, t.TempDir(), options)
	var taken, repeated atomic.Int32
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, known, err := l.take(t, "b", func(ctx context.Context) error {
				if i < 3 && taken.Load() == 0 {
					return errors.New("refused") // the next one tries
				}
				taken.Add(1)
				return l.store(ctx)
			})
			if err == nil && known {
				repeated.Add(1)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, taken.Load())
	assert.GreaterOrEqual(t, repeated.Load(), int32(16))

	require.NoError(t, l.queue.Set(t.Context(), "2", nil))
	_, _, err := l.Begin(t.Context(), batchindex.KeyOf("shop", "slow", 1))
	require.NoError(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = l.Begin(gone, batchindex.KeyOf("shop", "slow", 1))
	require.ErrorIs(t, err, context.Canceled)
}

func TestOldIDsAndTooManyAreForgotten(t *testing.T) {
	now := time.Now()
	l := begin(t, t.TempDir(), batchindex.Options{MaxIDs: 1000, Remember: 24 * time.Hour, Now: func() time.Time { return now }})
	for i := range 2100 {
		_, _, err := l.take(t, fmt.Sprint("b", i), l.store)
		require.NoError(t, err)
	}
	require.NoError(t, l.Keep(t.Context()))
	assert.LessOrEqual(t, l.Stats().IDs, int64(1000))
	_, known, err := l.take(t, "b2099", l.store)
	require.NoError(t, err)
	assert.True(t, known, "the newest stay")
	_, known, err = l.take(t, "b0", l.store)
	require.NoError(t, err)
	assert.False(t, known)
	now = now.Add(25 * time.Hour)
	require.NoError(t, l.Keep(t.Context()))
	assert.Zero(t, l.Stats().IDs)
}

func TestKeysTellProjectsAndPartsApart(t *testing.T) {
	seen := map[batchindex.Key]bool{}
	for _, k := range []batchindex.Key{
		batchindex.KeyOf("a", "bc", 1), batchindex.KeyOf("ab", "c", 1), batchindex.KeyOf("a", "bc", 2), batchindex.KeyOf("", "abc", 1),
	} {
		assert.False(t, seen[k])
		seen[k] = true
	}
}
