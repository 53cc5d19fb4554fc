// Package journal runs the scenarios of a persistent sending queue on the
// journal_storage extension and on the upstream file_storage, to show that they
// behave alike, and measures one beside the other.
package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/trackwayhq/trackway/extension/journalstorageextension"
	"github.com/trackwayhq/trackway/internal/groupcommit"
)

// storages are the extensions under test, over a directory, syncing.
var storages = map[string]func(dir string) (extension.Factory, component.Config){
	"journal_storage": func(dir string) (extension.Factory, component.Config) {
		f := journalstorageextension.NewFactory()
		cfg := f.CreateDefaultConfig().(*journalstorageextension.Config)
		cfg.Directory = dir
		return f, cfg
	},
	"file_storage": func(dir string) (extension.Factory, component.Config) {
		f := filestorage.NewFactory()
		cfg := f.CreateDefaultConfig().(*filestorage.Config)
		cfg.Directory, cfg.FSync = dir, true
		return f, cfg
	},
}

type host struct {
	extensions map[component.ID]component.Component
}

func (h host) GetExtensions() map[component.ID]component.Component { return h.extensions }

// collector is one life of a storage and exporters with queues over it.
type collector struct {
	storage component.Component
	host    host
	id      component.ID
}

func startStorage(tb testing.TB, name, dir string) *collector {
	tb.Helper()
	factory, cfg := storages[name](dir)
	ext, err := factory.Create(tb.Context(), extensiontest.NewNopSettings(factory.Type()), cfg)
	require.NoError(tb, err)
	c := &collector{storage: ext, id: component.NewID(factory.Type())}
	c.host = host{map[component.ID]component.Component{c.id: ext}}
	require.NoError(tb, ext.Start(tb.Context(), c.host))
	return c
}

func (c *collector) stop(tb testing.TB, exporters ...exporter.Logs) {
	tb.Helper()
	for _, e := range exporters {
		require.NoError(tb, e.Shutdown(tb.Context()))
	}
	require.NoError(tb, c.storage.Shutdown(tb.Context()))
}

func (c *collector) exporter(tb testing.TB, name string, consumers int, size int64, consume func(context.Context, plog.Logs) error) exporter.Logs {
	tb.Helper()
	queue := exporterhelper.NewDefaultQueueConfig()
	queue.StorageID, queue.NumConsumers, queue.QueueSize = &c.id, consumers, size
	settings := exportertest.NewNopSettings(component.MustNewType("test"))
	settings.ID = component.MustNewIDWithName("test", name)
	e, err := exporterhelper.NewLogs(tb.Context(), settings, &struct{}{}, consume, exporterhelper.WithQueue(configoptional.Some(queue)))
	require.NoError(tb, err)
	require.NoError(tb, e.Start(tb.Context(), c.host))
	return e
}

func logs(body string) plog.Logs {
	l := plog.NewLogs()
	l.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr(body)
	return l
}

func body(l plog.Logs) string {
	return l.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().Str()
}

// sink remembers what was delivered; while it is blocked, consumers wait, and when
// the collector ends they are told so.
type sink struct {
	mu    sync.Mutex
	items []string
}

func (s *sink) consume(_ context.Context, l plog.Logs) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = append(s.items, body(l))
	return nil
}

func (s *sink) delivered() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.items...)
}

func (s *sink) await(tb testing.TB, n int) []string {
	tb.Helper()
	require.Eventually(tb, func() bool { return len(s.delivered()) >= n }, 30*time.Second, time.Millisecond)
	return s.delivered()
}

// blocked holds each item until the collector shuts down.
func blocked(started chan<- string, release <-chan struct{}) func(context.Context, plog.Logs) error {
	return func(_ context.Context, l plog.Logs) error {
		started <- body(l)
		<-release
		// What a retry sender says when it is shut down in the middle of its wait.
		return errShutdown
	}
}

var errShutdown = errors.New("interrupted")

func eachStorage(t *testing.T, scenario func(t *testing.T, name string)) {
	for name := range storages {
		t.Run(name, func(t *testing.T) { scenario(t, name) })
	}
}

func TestWaitingItemsSurviveARestartInOrder(t *testing.T) {
	eachStorage(t, func(t *testing.T, name string) {
		dir := t.TempDir()
		c := startStorage(t, name, dir)
		started, release := make(chan string, 100), make(chan struct{})
		e := c.exporter(t, "a", 1, 1000, blocked(started, release))
		var want []string
		for i := range 30 {
			item := fmt.Sprint("item ", i)
			require.NoError(t, e.ConsumeLogs(t.Context(), logs(item)))
			want = append(want, item)
		}
		assert.Equal(t, "item 0", <-started)
		stopped := make(chan struct{})
		go func() { defer close(stopped); c.stop(t, e) }()
		close(release)
		<-stopped

		c = startStorage(t, name, dir)
		var s sink
		e = c.exporter(t, "a", 1, 1000, s.consume)
		// The one in flight failed for good; those the consumer took while shutting
		// down too.
		got := s.await(t, 30-1-len(started))
		assert.Subset(t, want, got)
		assert.IsIncreasing(t, positions(want, got))
		require.NoError(t, e.ConsumeLogs(t.Context(), logs("new")))
		s.await(t, len(got)+1)
		c.stop(t, e)

		// Nothing is delivered again.
		c = startStorage(t, name, dir)
		var again sink
		e = c.exporter(t, "a", 1, 1000, again.consume)
		require.NoError(t, e.ConsumeLogs(t.Context(), logs("last")))
		assert.Equal(t, []string{"last"}, again.await(t, 1))
		c.stop(t, e)
	})
}

func positions(all, some []string) []int {
	at := map[string]int{}
	for i, item := range all {
		at[item] = i
	}
	var p []int
	for _, item := range some {
		p = append(p, at[item])
	}
	return p
}

func TestFullQueueRefusesAndGoesOn(t *testing.T) {
	eachStorage(t, func(t *testing.T, name string) {
		c := startStorage(t, name, t.TempDir())
		started, gate := make(chan string, 100), make(chan struct{})
		e := c.exporter(t, "a", 1, 3, func(_ context.Context, l plog.Logs) error {
			started <- body(l)
			<-gate
			return nil
		})
		for i := range 3 {
			require.NoError(t, e.ConsumeLogs(t.Context(), logs(fmt.Sprint(i))))
		}
		require.ErrorIs(t, e.ConsumeLogs(t.Context(), logs("refused")), exporterhelper.ErrQueueIsFull)
		close(gate)
		require.Eventually(t, func() bool { return e.ConsumeLogs(t.Context(), logs("accepted")) == nil }, 30*time.Second, time.Millisecond)
		require.Eventually(t, func() bool { return len(started) == 4 }, 30*time.Second, time.Millisecond)
		c.stop(t, e)
	})
}

func TestExportersDoNotMix(t *testing.T) {
	eachStorage(t, func(t *testing.T, name string) {
		c := startStorage(t, name, t.TempDir())
		var a, b sink
		ea, eb := c.exporter(t, "a", 2, 1000, a.consume), c.exporter(t, "b", 2, 1000, b.consume)
		for i := range 10 {
			require.NoError(t, ea.ConsumeLogs(t.Context(), logs(fmt.Sprint("a", i))))
			require.NoError(t, eb.ConsumeLogs(t.Context(), logs(fmt.Sprint("b", i))))
		}
		for _, item := range a.await(t, 10) {
			assert.Equal(t, "a", item[:1])
		}
		for _, item := range b.await(t, 10) {
			assert.Equal(t, "b", item[:1])
		}
		c.stop(t, ea, eb)
	})
}

func TestLargeItems(t *testing.T) {
	eachStorage(t, func(t *testing.T, name string) {
		c := startStorage(t, name, t.TempDir())
		var s sink
		e := c.exporter(t, "a", 1, 1000, s.consume)
		large := strings.Repeat("0123456789abcdef", 8<<20/16)
		require.NoError(t, e.ConsumeLogs(t.Context(), logs(large)))
		assert.True(t, s.await(t, 1)[0] == large)
		c.stop(t, e)
	})
}

// BenchmarkQueue is 64 senders, each waiting until its request is durable, and
// consumers that drop everything.
func BenchmarkQueue(b *testing.B) {
	for _, size := range []int{4 << 10, 52 << 10} {
		for _, name := range []string{"journal_storage", "file_storage"} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				c := startStorage(b, name, b.TempDir())
				e := c.exporter(b, "a", 8, 1<<20, func(context.Context, plog.Logs) error { return nil })
				text := strings.Repeat("x", size)
				b.SetBytes(int64(size))
				b.ResetTimer()
				work := make(chan struct{})
				var senders sync.WaitGroup
				for range 64 {
					senders.Go(func() {
						for range work {
							ctx, ticket := groupcommit.WithTicket(b.Context())
							if err := errors.Join(e.ConsumeLogs(ctx, logs(text)), ticket.Wait(ctx)); err != nil {
								b.Error(err)
							}
						}
					})
				}
				for range b.N {
					work <- struct{}{}
				}
				close(work)
				senders.Wait()
				b.StopTimer()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
				c.stop(b, e)
			})
		}
	}
}
