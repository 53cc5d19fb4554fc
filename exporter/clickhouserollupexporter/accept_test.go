package clickhouserollupexporter

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/trackwayhq/trackway/extension/journalstorageextension"
	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/journal"
)

// fixedNow is a time well within the retention.
var fixedNow = time.Now().Add(-time.Hour).Truncate(time.Second)

// journalHost is a collector with a journal.
type journalHost struct {
	extensions map[component.ID]component.Component
}

func (h journalHost) GetExtensions() map[component.ID]component.Component { return h.extensions }

var journalID = component.MustNewID("journal_storage")

// startDurable runs an exporter over a journal in a directory. Both end with stop.
func startDurable(t *testing.T, cfg *Config, dir string, change func(*journalstorageextension.Config)) (e *shared, stop func()) {
	t.Helper()
	factory := journalstorageextension.NewFactory()
	journalCfg := factory.CreateDefaultConfig().(*journalstorageextension.Config)
	journalCfg.Directory = dir + "/journal"
	if change != nil {
		change(journalCfg)
	}
	ext, err := factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), journalCfg)
	require.NoError(t, err)
	host := journalHost{map[component.ID]component.Component{journalID: ext}}
	require.NoError(t, ext.Start(t.Context(), host))
	cfg.Queue.Get().StorageID, cfg.Queue.Get().WaitForResult = &journalID, false
	cfg.DeadLetter.Directory = dir + "/deadletter"
	set := settings()
	core, seen := observer.New(zap.InfoLevel)
	set.Logger = zap.New(core)
	set.ID = component.NewID(set.ID.Type()) // the same in each life
	made, err := NewFactory().CreateTraces(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, made.Start(t.Context(), host))
	return made.(*shared), sync.OnceFunc(func() {
		assert.NoError(t, made.Shutdown(context.Background()))
		for _, entry := range seen.All() {
			assert.NotContains(t, entry.Message, "Dropping data", "a stop drops nothing")
		}
		assert.NoError(t, ext.Shutdown(context.Background()))
	})
}

// TestAnsweredIsKeptWhileTheStoreIsAway answers without a store, stops, and stores
// with the next collector.
func TestAnsweredIsKeptWhileTheStoreIsAway(t *testing.T) {
	dir := t.TempDir()
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.ClickHouse.Endpoint = "http://127.0.0.1:1"
	e, stop := startDurable(t, cfg, dir, nil)
	defer stop()
	for range 20 {
		require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(5, fixedNow)))
	}
	require.NoError(t, e.ConsumeLogs(context.Background(), orderLog(fixedNow)))
	stop()

	server := enginetest.Start(t)
	e, stop = startDurable(t, configFor(server), dir, nil)
	defer stop()
	require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(1, fixedNow)))
	require.Eventually(t, func() bool {
		return server.Query(t, "SELECT count() FROM system.tables WHERE database = 'trackway' AND name = 'requests'") == "1\n" &&
			server.Query(t, "SELECT count() FROM trackway.requests") == "101\n"
	}, 30*time.Second, 20*time.Millisecond)
	stop()
	for _, sql := range []string{"SELECT count() FROM trackway.requests", "SELECT uniqExact(rid) FROM trackway.requests", "SELECT sum(cnt) FROM trackway.cnt_m"} {
		assert.Equal(t, "101\n", server.Query(t, sql), sql)
	}
	assert.Equal(t, "1\n", server.Query(t, "SELECT count() FROM trackway.events WHERE name = 'order.paid'"))
}

// TestFullJournalIsA503 fills a small journal: what is refused leaves nothing behind
// in the queue's size, and what was taken can be stored.
func TestFullJournalIsA503(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.ClickHouse.Endpoint = "http://127.0.0.1:1"
	e, stop := startDurable(t, cfg, t.TempDir(), func(c *journalstorageextension.Config) {
		c.SegmentBytes, c.MaxBytes = 64<<10, journal.MinSegments*64<<10
	})
	defer stop()
	var err error
	taken := 0
	for ; err == nil; taken++ {
		require.Less(t, taken, 10_000)
		err = e.ConsumeTraces(context.Background(), requestTraces(50, fixedNow))
	}
	require.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
	assert.False(t, consumererror.IsPermanent(err))
	assert.GreaterOrEqual(t, retryDelay(t, err), time.Second)
	assert.Greater(t, taken, 3)

	size := requestTraces(200, fixedNow)
	err = e.ConsumeTraces(context.Background(), size)
	for range 3 { // holes do not add up
		again := e.ConsumeTraces(context.Background(), size)
		assert.Equal(t, status.Code(err), status.Code(again))
	}
}

func retryDelay(t *testing.T, err error) time.Duration {
	t.Helper()
	st, _ := status.FromError(err)
	require.Len(t, st.Details(), 1)
	d := st.Details()[0].(*errdetails.RetryInfo).RetryDelay.AsDuration()
	assert.Equal(t, d.Truncate(time.Second), d, "Retry-After is an integer")
	return d
}

// refusingClient is a storage that refuses what it is given.
type refusingClient struct {
	storage.Client
	err error
}

func (c *refusingClient) Batch(ctx context.Context, ops ...*storage.Operation) error {
	if c.err != nil {
		return c.err
	}
	return c.Client.Batch(ctx, ops...)
}

// TestRefusedOfferLeavesAHole shows that the queue gets back the size of what its
// storage refused.
func TestRefusedOfferLeavesAHole(t *testing.T) {
	inner, err := newWorld().GetClient(context.Background(), component.KindExporter, component.ID{}, "traces")
	require.NoError(t, err)
	client := &refusingClient{Client: inner, err: storage.ErrStorageFull}
	s := newQueueStorage()
	s.Client = client
	offer := &offered{req: &request{id: newDeliveryID(), items: 7, size: 99}}
	ctx := context.WithValue(context.Background(), offeredKey{}, offer)
	require.NoError(t, s.Batch(ctx, storage.SetOperation("qmv0", nil), storage.SetOperation("3", []byte("x"))))
	require.ErrorIs(t, offer.err, storage.ErrStorageFull)
	client.err = nil

	get := storage.GetOperation("3")
	require.NoError(t, s.Batch(context.Background(), storage.SetOperation("qmv0", nil), get))
	_, r, err := encoding{}.Unmarshal(get.Value)
	require.NoError(t, err)
	assert.Equal(t, 7, r.ItemsCount())
	assert.Equal(t, 99, r.(*request).BytesSize())
	assert.True(t, r.(*request).hole)
	require.NoError(t, s.Batch(context.Background(), storage.SetOperation("qmv0", nil), storage.DeleteOperation("3")))
	assert.Empty(t, s.holes)
}

func TestItemsKeepTheirBytes(t *testing.T) {
	b := batchOf(requestTraces(3, fixedNow))
	id := newDeliveryID()
	data := appendItem(nil, id, fixedNow.Unix()/60, b)
	absent := 0
	enc := encoding{absent: func() { absent++ }}
	_, r, err := enc.Unmarshal(data)
	require.NoError(t, err)
	req := r.(*request)
	assert.Equal(t, id, req.id)
	assert.Equal(t, 3, req.items)
	assert.Equal(t, fixedNow.Unix()/60, req.minute)
	assert.Equal(t, len(data), req.size)
	again, err := enc.Marshal(context.Background(), req)
	require.NoError(t, err)
	assert.Equal(t, data, again)
	got, err := req.decode()
	require.NoError(t, err)
	assert.Equal(t, b.AppendTo(nil), got.AppendTo(nil))

	_, _, err = enc.Unmarshal(nil)
	require.ErrorIs(t, err, errNoValue)
	assert.Equal(t, 1, absent)
	_, r, err = enc.Unmarshal([]byte("of another release"))
	require.NoError(t, err, "it is kept until it is a dead letter")
	_, err = r.(*request).decode()
	require.ErrorIs(t, err, errNoVersion)
}

// TestSmallDeliveriesShareAnItem holds the first on its way: those that arrive
// meanwhile go together when it is done, and a full group goes at once.
func TestSmallDeliveriesShareAnItem(t *testing.T) {
	var mu sync.Mutex
	var groups []int
	hold := make(chan struct{})
	failure := errors.New("refused")
	c := &coalescer{limits: CoalesceConfig{MaxItems: 100, MaxBytes: 1 << 20}}
	c.accept = func(_ context.Context, b *columns.Batch, from []*delivery) error {
		mu.Lock()
		first := len(groups) == 0
		groups = append(groups, len(from))
		mu.Unlock()
		assert.Equal(t, len(from), b.Items())
		if first {
			<-hold
			return nil
		}
		return failure
	}
	var wg sync.WaitGroup
	send := func(want error) {
		wg.Go(func() {
			assert.Equal(t, want, c.add(context.Background(), batchOf(requestTraces(1, fixedNow)), &delivery{}))
		})
	}
	send(nil)
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(groups) == 1 }, 10*time.Second, time.Millisecond)
	for range 10 {
		send(failure)
	}
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.gathering != nil && len(c.gathering.from) == 10
	}, 10*time.Second, time.Millisecond)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, c.add(gone, batchOf(requestTraces(1, fixedNow)), &delivery{}), context.Canceled, "who has gone is not waited for")
	close(hold)
	wg.Wait()
	assert.Equal(t, []int{1, 11}, groups)
}

func TestRetryAfterFollowsTheDrainRate(t *testing.T) {
	now := fixedNow
	d := newDrain(RetryAfterConfig{Min: time.Second, Max: 30 * time.Second})
	d.now = func() time.Time { return now }
	assert.Equal(t, time.Second, d.retryAfter(1000), "nothing is known")
	for range 3 {
		now = now.Add(3 * time.Second)
		d.retryAfter(1000)
	}
	assert.Equal(t, 9*time.Second, d.retryAfter(1000), "nothing has drained for nine seconds")
	now = now.Add(time.Hour)
	d.retryAfter(0)
	now = now.Add(2 * time.Second)
	d.drained(2000)
	assert.InDelta(t, 4, d.retryAfter(3000).Seconds(), 1, "a short time is enough to know")
	now = now.Add(time.Hour)
	for range 100 {
		now = now.Add(time.Second)
		d.drained(1000)
	}
	assert.Equal(t, time.Second, d.retryAfter(500))
	second := d.retryAfter(5000)
	assert.InDelta(t, 6, second.Seconds(), 1, "behind the one before")
	assert.InDelta(t, 5, (d.retryAfter(5000) - second).Seconds(), 1)
	now = now.Add(10 * time.Second)
	for range 30 {
		now = now.Add(time.Second)
		d.drained(1000)
	}
	assert.Equal(t, time.Second, d.retryAfter(500), "the line has gone")
	for range 40 {
		now = now.Add(20 * time.Second)
		d.retryAfter(500)
	}
	assert.Equal(t, 30*time.Second, d.retryAfter(500), "the store has been away")
}

// TestOneProbeAtATime lets many inserts wait for a store that is away: one tries at a
// time, and all go on when it succeeds.
func TestOneProbeAtATime(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Retry.InitialInterval, cfg.Retry.MaxInterval = time.Millisecond, time.Millisecond
	b := newBreaker(cfg.Retry)
	probe, err := b.turn(t.Context(), nil)
	require.NoError(t, err)
	assert.False(t, probe)
	b.failed()
	var mu sync.Mutex
	probes, probing, passed := 0, 0, 0
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for {
				probe, err := b.turn(t.Context(), nil)
				if !assert.NoError(t, err) || !probe {
					mu.Lock()
					passed++
					mu.Unlock()
					return
				}
				mu.Lock()
				probes++
				probing++
				assert.Equal(t, 1, probing)
				healed := probes == 5
				probing--
				mu.Unlock()
				if healed {
					b.succeeded()
				} else {
					b.failed()
				}
				b.probed()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 5, probes)
	assert.Equal(t, 20, passed)

	b.failed()
	stopping := make(chan struct{})
	close(stopping)
	_, err = b.turn(t.Context(), stopping)
	require.ErrorIs(t, err, errStopping)
}
