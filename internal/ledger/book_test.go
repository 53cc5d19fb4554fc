package ledger_test

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/trackwayhq/trackway/internal/ledger"
)

// life is one life of a collector's ledger, over a real journal.
type life struct {
	*ledger.Book
	queue storage.Client
	stop  func()
}

func begin(t testing.TB, dir string, maxBytes int) *life {
	t.Helper()
	f := journalstorageextension.NewFactory()
	cfg := f.CreateDefaultConfig().(*journalstorageextension.Config)
	cfg.Directory, cfg.SegmentBytes, cfg.MaxBytes = dir, 1<<20, 16<<20
	e, err := f.Create(t.Context(), extensiontest.NewNopSettings(f.Type()), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	stopped := false
	stop := func() {
		if !stopped {
			stopped = true
			require.NoError(t, e.Shutdown(context.Background()))
		}
	}
	t.Cleanup(stop)
	open := func(kind component.Kind, name string) storage.Client {
		c, err := e.(storage.Extension).GetClient(t.Context(), kind, component.MustNewID("test"), name)
		require.NoError(t, err)
		return c
	}
	book, err := ledger.OpenBook(t.Context(), open(component.KindExtension, "ledger").(alongside.Client), maxBytes)
	require.NoError(t, err)
	return &life{Book: book, queue: open(component.KindExporter, "queue"), stop: stop}
}

// deliver does what processor and exporter do with a delivery of items, of which
// offered reach the queue and dropped are too old.
func (l *life) deliver(t *testing.T, project string, items, offered, dropped int) {
	t.Helper()
	ctx, settle := l.Receive(t.Context(), project, items)
	tally := ledger.FromContext(ctx)
	ctx, changes := alongside.NewContext(ctx, l.Offered(ledger.Minute(time.Now()), ledger.Items{Project: project, Items: offered})...)
	require.NoError(t, l.queue.Set(ctx, fmt.Sprint(time.Now().UnixNano()), []byte("item")))
	require.True(t, changes.Applied())
	tally.Offered(offered)
	tally.Dropped("too_old", dropped)
	settle(nil)
}

func (l *life) settle(t *testing.T, rows []ledger.UnitRows, s ...ledger.Settlement) {
	t.Helper()
	ctx, _ := alongside.NewContext(t.Context(), l.Settled(s, rows)...)
	require.NoError(t, l.queue.Set(ctx, "units", []byte("done")))
}

func (l *life) sum(project string) (c ledger.Counts) {
	for _, r := range l.Rows() {
		if r.Project == project {
			c.Add(&r.Counts)
		}
	}
	return c
}

const roomy = 1 << 20

func TestTheEquationSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	l := begin(t, dir, roomy)
	l.deliver(t, "shop", 10, 7, 2) // one was filtered
	_, settle := l.Receive(ledger.WithRejected(t.Context(), 3), "shop", 5)
	settle(errors.New("the queue is full"))
	now := ledger.Minute(time.Now())
	l.settle(t, []ledger.UnitRows{{Project: "shop", Unit: ledger.UnitID(time.Now(), 7), Requests: 3, Events: 2}},
		ledger.Settlement{Project: "shop", Minute: now, Stored: 4}, ledger.Settlement{Project: "shop", Minute: now, DeadLetter: 1})

	want := ledger.Counts{Received: 18, Rejected: 8, Stored: 4, DeadLetter: 1, Removed: 1, Rows: [3]int64{3, 0, 2}}
	want.Dropped[1] = 2
	check := func() {
		t.Helper()
		got := l.sum("shop")
		assert.Equal(t, want, got)
		assert.EqualValues(t, 10, got.Accepted())
		assert.EqualValues(t, 2, got.Pending())
	}
	check()
	require.NoError(t, l.Keep(t.Context()))
	l.stop()
	l = begin(t, dir, roomy)
	check()
}

func TestARefusedOfferIsRejected(t *testing.T) {
	l := begin(t, t.TempDir(), roomy)
	ctx, settle := l.Receive(t.Context(), "shop", 5)
	ctx, changes := alongside.NewContext(ctx, l.Offered(1, ledger.Items{Project: "shop", Items: 5})...)
	err := l.queue.Set(ctx, "1", make([]byte, 2<<20)) // larger than a segment
	require.Error(t, err)
	assert.False(t, changes.Applied())
	settle(err)
	assert.Equal(t, ledger.Counts{Received: 5, Rejected: 5}, l.sum("shop"))
}

func TestItemsWithoutATally(t *testing.T) {
	l := begin(t, t.TempDir(), roomy)
	_, settle := l.Receive(t.Context(), "shop", 5) // a batch processor took them
	settle(nil)
	ctx, _ := alongside.NewContext(t.Context(), l.Offered(1, ledger.Items{Project: "shop", Items: 5, Untallied: 5})...)
	require.NoError(t, l.queue.Set(ctx, "1", nil))
	got := l.sum("shop")
	assert.Equal(t, ledger.Counts{Received: 5}, got)
	assert.EqualValues(t, 5, got.Pending())
}

func TestRowsGoToTheTableAndAreForgotten(t *testing.T) {
	dir := t.TempDir()
	l := begin(t, dir, roomy)
	old := ledger.Minute(time.Now()) - 10
	count := func(n int) {
		ctx, _ := alongside.NewContext(t.Context(), l.Offered(old, ledger.Items{Project: "shop", Items: n})...)
		require.NoError(t, l.queue.Set(ctx, "1", nil))
	}
	count(5)
	rows, err := l.Unwritten(t.Context())
	require.NoError(t, err)
	require.Len(t, rows, 1)
	count(2) // after the snapshot
	require.NoError(t, l.Written(t.Context(), rows))
	require.Len(t, l.Rows(), 1, "a later change keeps the row")
	first := rows[0]
	rows, err = l.Unwritten(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 7, rows[0].Counts.Received)
	assert.Equal(t, first.Generation, rows[0].Generation)
	assert.Greater(t, rows[0].Version, first.Version)
	require.NoError(t, l.Written(t.Context(), rows))
	require.Empty(t, l.Rows())
	l.stop()

	l = begin(t, dir, roomy)
	require.Empty(t, l.Rows())
	l.settle(t, nil, ledger.Settlement{Project: "shop", Minute: old, Stored: 7})
	again := l.Rows()
	require.Len(t, again, 1)
	assert.Greater(t, again[0].Generation, first.Generation, "what comes later adds up")
	assert.EqualValues(t, -7, again[0].Counts.Pending())
}

func TestMemoryIsBoundedAndSumsStayRight(t *testing.T) {
	l := begin(t, t.TempDir(), 10*600)
	for i := range 100 {
		ctx, _ := alongside.NewContext(t.Context(), l.Offered(int64(i), ledger.Items{Project: fmt.Sprint("p", i%3), Items: 1})...)
		require.NoError(t, l.queue.Set(ctx, "1", nil))
	}
	ctx, _ := alongside.NewContext(t.Context(), l.Offered(7, ledger.Items{Project: "newcomer", Items: 1})...)
	require.NoError(t, l.queue.Set(ctx, "1", nil))
	s := l.Stats()
	assert.LessOrEqual(t, s.Rows, int64(13))
	assert.Positive(t, s.Coarsened)
	total := l.sum("p0")
	for _, p := range []string{"p1", "p2", ledger.Other} {
		c := l.sum(p)
		total.Add(&c)
	}
	assert.EqualValues(t, 101, total.Received)
}

func TestUnitIDs(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 34, 56, 0, time.UTC)
	assert.Equal(t, ledger.Minute(at), ledger.UnitMinute(ledger.UnitID(at, 1<<32-1)))
}
