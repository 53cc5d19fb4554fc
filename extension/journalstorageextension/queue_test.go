package journalstorageextension

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/trackwayhq/trackway/extension/journalstorageextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/groupcommit"
	"github.com/trackwayhq/trackway/internal/journal/journaltest"
)

// host has the storage extension.
type host struct {
	extensions map[component.ID]component.Component
}

func (h host) GetExtensions() map[component.ID]component.Component { return h.extensions }

var storageID = component.NewID(metadata.Type)

// run is one life of a collector: the extension and an exporter whose persistent
// queue is over it. What its consumers do with an item is up to the test.
type run struct {
	extension *journalStorage
	exporter  exporter.Logs

	mu        sync.Mutex
	delivered map[string]int
	started   map[string]int
	hold      chan struct{} // consumers wait for it to be closed, if not nil
}

func runQueue(t *testing.T, fs *journaltest.CrashFS, consumers int, hold chan struct{}) (*run, error) {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Directory, cfg.SegmentBytes, cfg.MaxBytes = "journal", 64<<10, 1<<20
	cfg.FlushInterval = time.Millisecond
	r := &run{delivered: map[string]int{}, started: map[string]int{}, hold: hold}
	r.extension = newExtension(extensiontest.NewNopSettings(metadata.Type), cfg)
	r.extension.fileSystem = fs
	h := host{map[component.ID]component.Component{storageID: r.extension}}
	if err := r.extension.Start(t.Context(), h); err != nil {
		return nil, err
	}
	queue := exporterhelper.NewDefaultQueueConfig()
	queue.StorageID, queue.NumConsumers = &storageID, consumers
	settings := exportertest.NewNopSettings(exporterID.Type())
	settings.ID = exporterID // the same in each life
	var err error
	r.exporter, err = exporterhelper.NewLogs(t.Context(), settings, &struct{}{}, r.consume,
		exporterhelper.WithQueue(configoptional.Some(queue)))
	require.NoError(t, err)
	if err := r.exporter.Start(t.Context(), h); err != nil {
		return nil, errors.Join(err, r.extension.Shutdown(t.Context()))
	}
	return r, nil
}

func (r *run) consume(_ context.Context, logs plog.Logs) error {
	if logs.ResourceLogs().Len() == 0 {
		return nil // the queue counts an offer that the storage refused, and finds nothing
	}
	item := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().Str()
	r.mu.Lock()
	r.started[item]++
	r.mu.Unlock()
	if r.hold != nil {
		<-r.hold
		return consumererror.NewPermanent(errors.New("the collector was killed"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delivered[item]++
	return nil
}

// offer offers an item and waits, outside the queue, until it is durable.
func (r *run) offer(ctx context.Context, item string) error {
	logs := plog.NewLogs()
	logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr(item)
	ctx, ticket := groupcommit.WithTicket(ctx)
	if err := r.exporter.ConsumeLogs(ctx, logs); err != nil {
		return err
	}
	return ticket.Wait(ctx)
}

func (r *run) startedItems() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.started)
}

// kill ends the run; the disk has crashed before, so nothing of it remains.
func (r *run) kill() {
	if r.hold != nil {
		close(r.hold)
	}
	_ = r.exporter.Shutdown(context.Background())
	_ = r.extension.Shutdown(context.Background())
}

func (r *run) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, r.exporter.Shutdown(t.Context()))
	require.NoError(t, r.extension.Shutdown(t.Context()))
}

// drain runs a collector that delivers everything, and returns what it delivered.
func drain(t *testing.T, fs *journaltest.CrashFS, want int) map[string]int {
	t.Helper()
	r, err := runQueue(t, fs, 3, nil)
	require.NoError(t, err)
	if !assert.Eventually(t, func() bool { return r.startedItems() >= want }, 20*time.Second, time.Millisecond) {
		t.Fatalf("%d items of %d are lost; %+v", want-r.startedItems(), want, r.extension.journal.Stats())
	}
	require.Eventually(t, func() bool { return r.offer(t.Context(), "last") == nil }, 20*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.delivered["last"] == 1 }, 20*time.Second, time.Millisecond)
	r.stop(t)
	delete(r.delivered, "last")
	return r.delivered
}

func TestQueueKeepsItemsThroughARestart(t *testing.T) {
	fs := journaltest.New()
	r, err := runQueue(t, fs, 4, make(chan struct{}))
	require.NoError(t, err)
	for i := range 20 {
		require.NoError(t, r.offer(t.Context(), fmt.Sprint(i)))
	}
	require.Eventually(t, func() bool { return r.startedItems() == 4 }, 10*time.Second, time.Millisecond)
	fs.Crash()
	r.kill()
	delivered := drain(t, fs.Restart(rand.New(rand.NewPCG(1, 1)), journaltest.LoseAll), 20)
	assert.Len(t, delivered, 20)
	for item, n := range delivered {
		assert.Equal(t, 1, n, item)
	}
}

// TestQueueRecoveryCrashes crashes at every single change of the disk while a queue
// recovers eight items in flight and puts them back one by one, again and again
// until it is through.
func TestQueueRecoveryCrashes(t *testing.T) {
	const inFlight, waiting = 8, 4
	for _, loss := range []journaltest.Loss{journaltest.KeepAll, journaltest.LoseAll, journaltest.LoseSome} {
		for _, every := range []int{1, 2, 3, 5, 8, 13, 21} {
			t.Run(fmt.Sprintf("loss %d, crash at change %d", loss, every), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(uint64(every), uint64(loss)))
				fs := journaltest.New()
				r, err := runQueue(t, fs, inFlight, make(chan struct{}))
				require.NoError(t, err)
				for i := range inFlight + waiting {
					require.NoError(t, r.offer(t.Context(), fmt.Sprint(i)))
				}
				require.Eventually(t, func() bool { return r.startedItems() == inFlight }, 10*time.Second, time.Millisecond)
				// The notes of the dispatches reach the disk with another record.
				require.NoError(t, r.offer(t.Context(), "one more"))
				fs.Crash()
				r.kill()
				for crash := every; crash < 400; crash += every {
					fs = fs.Restart(rng, loss)
					fs.CrashAfter(crash)
					r, err := runQueue(t, fs, 1, make(chan struct{}))
					if err != nil {
						require.ErrorIs(t, err, journaltest.ErrCrashed)
						continue
					}
					// The queue has recovered; its first dispatch releases what was held.
					require.Eventually(t, func() bool { return fs.Crashed() || r.startedItems() > 0 }, 10*time.Second, time.Millisecond)
					done := !fs.Crashed()
					fs.Crash()
					r.kill()
					if done && crash > 60 {
						break
					}
				}
				delivered := drain(t, fs.Restart(rng, loss), inFlight+waiting+1)
				assert.Len(t, delivered, inFlight+waiting+1, "lost")
				for item, n := range delivered {
					assert.Equal(t, 1, n, "item %s is doubled", item)
				}
			})
		}
	}
}

func TestQueueDrainsAFullJournal(t *testing.T) {
	fs := journaltest.New()
	hold := make(chan struct{})
	r, err := runQueue(t, fs, 40, hold) // in flight is more than the reserve
	require.NoError(t, err)
	big := make([]byte, 8<<10)
	var accepted int
	for {
		err := r.offer(t.Context(), fmt.Sprintf("%d %s", accepted, big))
		if err != nil {
			require.ErrorContains(t, err, "the journal is full")
			break
		}
		accepted++
	}
	require.Greater(t, accepted, 50)
	fs.Crash()
	r.kill()
	delivered := drain(t, fs.Restart(rand.New(rand.NewPCG(1, 1)), journaltest.LoseSome), accepted)
	assert.Len(t, delivered, accepted)
}

func TestShutdownBeforeTheQueue(t *testing.T) {
	e := start(t, t.TempDir())
	c := getClient(t, e, component.KindExporter, "logs")
	require.NoError(t, c.Set(t.Context(), "a", []byte("1")))
	require.NoError(t, e.Shutdown(t.Context()))
	require.NoError(t, c.Close(t.Context()))
	require.Error(t, c.Set(t.Context(), "a", []byte("2")))
	require.NoError(t, newExtension(extensiontest.NewNopSettings(metadata.Type), e.config).Shutdown(t.Context()))
}

// TestRecoveryOfUnstableEncodings shows the fallback: values that change when they are
// put back cannot be matched, so their old keys stay until the queue dispatches.
func TestRecoveryOfUnstableEncodings(t *testing.T) {
	open := func(fs *journaltest.CrashFS) (*journalStorage, storage.Client) {
		cfg := createDefaultConfig().(*Config)
		cfg.Directory, cfg.SegmentBytes, cfg.MaxBytes = "journal", 64<<10, 1<<20
		e := newExtension(extensiontest.NewNopSettings(metadata.Type), cfg)
		e.fileSystem = fs
		require.NoError(t, e.Start(t.Context(), host{}))
		return e, getClient(t, e, component.KindExporter, "logs")
	}
	keys := func(c storage.Client) []string { return c.(*client).space.Keys() }
	rng := rand.New(rand.NewPCG(1, 1))
	fs := journaltest.New()
	e, c := open(fs)
	require.NoError(t, c.Batch(t.Context(), storage.SetOperation("0", []byte("a")), storage.SetOperation("1", []byte("b"))))
	fs.Crash()
	_ = e.Shutdown(t.Context())

	fs = fs.Restart(rng, journaltest.LoseAll)
	e, c = open(fs)
	got := storage.GetOperation("0")
	require.NoError(t, c.Batch(t.Context(), got))
	require.NoError(t, c.Batch(t.Context(), storage.DeleteOperation("0"), storage.DeleteOperation("1")))
	assert.Empty(t, keys(c))
	require.NoError(t, c.Set(t.Context(), "2", []byte("a, encoded otherwise")))
	assert.Equal(t, []string{"2"}, keys(c))
	fs.Crash() // before the second is put back
	_ = e.Shutdown(t.Context())

	fs = fs.Restart(rng, journaltest.LoseAll)
	e, c = open(fs)
	assert.Equal(t, []string{"0", "1", "2"}, keys(c), "doubled, not lost")
	require.NoError(t, c.Batch(t.Context(), storage.DeleteOperation("0"), storage.DeleteOperation("1")))
	require.NoError(t, c.Batch(t.Context(), storage.SetOperation("meta", []byte("m")), storage.GetOperation("2"))) // a dispatch
	require.NoError(t, c.Set(t.Context(), "3", []byte("an offer")))
	fs.Crash()
	_ = e.Shutdown(t.Context())
	e, c = open(fs.Restart(rng, journaltest.LoseAll))
	assert.Equal(t, []string{"2", "3", "meta"}, keys(c))
	require.NoError(t, e.Shutdown(t.Context()))
}
