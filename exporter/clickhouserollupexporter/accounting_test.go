package clickhouserollupexporter

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/trackwayhq/trackway/exporter/clickhouserollupexporter/internal/metadata"
	"github.com/trackwayhq/trackway/extension/journalstorageextension"
	"github.com/trackwayhq/trackway/extension/ledgerextension"
	"github.com/trackwayhq/trackway/internal/batchid"
	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/deadletter"
	"github.com/trackwayhq/trackway/internal/ledger"
	"github.com/trackwayhq/trackway/internal/record"
)

type extensionHost map[component.ID]component.Component

func (h extensionHost) GetExtensions() map[component.ID]component.Component { return h }

// rowsOf are the rows that a ledger keeps.
type rowsOf interface{ Rows() []ledger.Row }

// startCounted starts an exporter with a queue on disk and a ledger, and a store
// that never answers.
func startCounted(t *testing.T) (*shared, rowsOf) {
	t.Helper()
	dir := t.TempDir()
	storageID, ledgerID := component.MustNewID("journal_storage"), component.MustNewID("ledger")
	host := extensionHost{}
	jf := journalstorageextension.NewFactory()
	jcfg := jf.CreateDefaultConfig().(*journalstorageextension.Config)
	jcfg.Directory, jcfg.SegmentBytes, jcfg.MaxBytes = filepath.Join(dir, "journal"), 1<<20, 16<<20
	lf := ledgerextension.NewFactory()
	lcfg := lf.CreateDefaultConfig().(*ledgerextension.Config)
	lcfg.Storage, lcfg.ClickHouse.Endpoint, lcfg.Interval = &storageID, "http://127.0.0.1:1", time.Hour
	journal, err := jf.Create(t.Context(), extensiontest.NewNopSettings(jf.Type()), jcfg)
	require.NoError(t, err)
	counts, err := lf.Create(t.Context(), extensiontest.NewNopSettings(lf.Type()), lcfg)
	require.NoError(t, err)
	host[storageID], host[ledgerID] = journal, counts
	for _, e := range []component.Component{journal, counts} {
		require.NoError(t, e.Start(t.Context(), host))
	}
	f := NewFactory()
	cfg := f.CreateDefaultConfig().(*Config)
	cfg.ClickHouse.Endpoint, cfg.Ledger, cfg.DeadLetter.Directory = "http://127.0.0.1:1", &ledgerID, filepath.Join(dir, "deadletter")
	cfg.Queue.Get().StorageID = &storageID
	require.NoError(t, cfg.Validate())
	exporter, err := f.CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, exporter.Start(t.Context(), host))
	t.Cleanup(func() {
		ctx := context.Background()
		assert.NoError(t, exporter.Shutdown(ctx))
		assert.NoError(t, counts.Shutdown(ctx))
		assert.NoError(t, journal.Shutdown(ctx))
	})
	return exporter.(*shared), counts.(rowsOf)
}

func sumOf(l rowsOf) (sum ledger.Counts) {
	for _, r := range l.Rows() {
		sum.Add(&r.Counts)
	}
	return sum
}

func logsOf(records int) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("trackway.project", "shop")
	for range records {
		rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("hello")
	}
	return ld
}

func TestOffersAndRepeatsAreCounted(t *testing.T) {
	e, l := startCounted(t)
	require.NoError(t, e.ConsumeLogs(t.Context(), logsOf(3)))
	sum := sumOf(l)
	assert.EqualValues(t, 3, sum.Received)
	assert.EqualValues(t, 3, sum.Pending())

	for i := range 3 {
		b := &batchid.Batch{ID: "b", Answer: []byte("the answer")}
		require.NoError(t, e.ConsumeLogs(batchid.With(t.Context(), b), logsOf(2)))
		first, known := b.First()
		assert.Equal(t, i > 0, known)
		if known {
			assert.Equal(t, "the answer", string(first))
		}
	}
	assert.EqualValues(t, 5, sumOf(l).Received, "a repeat without a tally is no one's")
}

// A crash between what is done to a dead letter and its removal leaves it to be done
// again; it is done once.
func TestDeadLettersAreReplayedAndGivenUpOnce(t *testing.T) {
	e, l := startCounted(t)
	var b columns.Batch
	b.BeginItem("shop")
	b.Append(&record.Record{Kind: record.Event, Project: "shop", Time: time.Now(), Message: "hello", TTLDays: 30})
	minute := ledger.Minute(time.Now()) - 100
	entry := deadletter.Entry{ID: "one", Project: "shop", Items: 1, Minute: minute, Payload: b.AppendTo(nil)}
	for range 3 {
		require.NoError(t, e.replay(t.Context(), entry))
	}
	sum := sumOf(l)
	assert.EqualValues(t, -1, sum.DeadLetter)
	assert.EqualValues(t, 1, sum.Pending())
	keys, err := e.storage.keysOf(isItemKey)
	require.NoError(t, err)
	assert.Len(t, keys, 1)

	entry.ID = "two"
	for range 3 {
		require.NoError(t, e.giveUp(t.Context(), entry, "operator"))
	}
	sum = sumOf(l)
	assert.EqualValues(t, -2, sum.DeadLetter)
	assert.EqualValues(t, 1, sum.DroppedItems())

	entry.ID, entry.Payload = "three", []byte("nonsense")
	require.ErrorContains(t, e.replay(t.Context(), entry), "can only be dropped")
	entry.ID, entry.Payload, entry.Table, entry.Tables = "four", b.AppendTo(nil), "journey", []string{"journey"}
	require.ErrorContains(t, e.replay(t.Context(), entry), "run trackway doctor --repair")
}

func TestLedgerNeedsAQueueOnDisk(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	id := component.MustNewID("ledger")
	cfg.Ledger = &id
	require.ErrorContains(t, cfg.Validate(), "ledger: want sending_queue::storage too")
}
