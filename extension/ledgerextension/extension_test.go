package ledgerextension

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/extension/journalstorageextension"
	"github.com/trackwayhq/trackway/extension/ledgerextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/admin"
	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/configtest"
	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/ledger"
	"github.com/trackwayhq/trackway/internal/metadatatest"
	"github.com/trackwayhq/trackway/internal/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMetadata(t *testing.T) {
	metadatatest.Check(t, metadata.Type, map[string]component.StabilityLevel{"extension": metadata.ExtensionStability},
		func(set component.TelemetrySettings) error { _, err := metadata.NewTelemetryBuilder(set); return err })
}

func loadConfig(t *testing.T, file string) (*Config, error) {
	t.Helper()
	return configtest.Load(t, file, "", createDefaultConfig().(*Config))
}

func TestConfig(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(NewFactory().CreateDefaultConfig()))
	cfg, err := loadConfig(t, "good.yaml")
	require.NoError(t, err)
	assert.Equal(t, "journal_storage/eu", cfg.Storage.String())
	assert.Equal(t, "https://ch:8443", cfg.ClickHouse.Endpoint)
	assert.Equal(t, []any{"writer", "secret", "tw", time.Second, 1000000}, []any{cfg.Username, string(cfg.Password), cfg.Database, cfg.Interval, cfg.MaxBytes})
}

func TestBadConfigs(t *testing.T) {
	for file, want := range map[string]string{
		"no_storage.yaml":              "storage: required",
		"endpoint_without_scheme.yaml": "clickhouse::endpoint: want a URL",
		"no_interval.yaml":             "interval: want a duration above 0",
		"max_bytes_too_small.yaml":     "max_bytes: want at least 65536, got 10",
		"bad_database.yaml":            "database: want letters",
		"misspelt_key.yaml":            "has invalid keys: intervall",
	} {
		t.Run(file, func(t *testing.T) {
			_, err := loadConfig(t, file)
			require.ErrorContains(t, err, want)
		})
	}
}

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

// life is one life of a collector with a ledger.
type life struct {
	ledger.Ledger
	queue  storage.Client
	socket string
	stop   func()
}

func begin(t *testing.T, dir, endpoint, password string, interval time.Duration) *life {
	t.Helper()
	storageID := component.MustNewID("journal_storage")
	h := host{}
	create := func(f extension.Factory, id component.ID, cfg component.Config) extension.Extension {
		set := extensiontest.NewNopSettings(f.Type())
		set.ID = id
		e, err := f.Create(t.Context(), set, cfg)
		require.NoError(t, err)
		h[id] = e
		require.NoError(t, e.Start(t.Context(), h))
		return e
	}
	f := journalstorageextension.NewFactory()
	jcfg := f.CreateDefaultConfig().(*journalstorageextension.Config)
	jcfg.Directory, jcfg.SegmentBytes, jcfg.MaxBytes = filepath.Join(dir, "journal"), 1<<20, 16<<20
	jcfg.AdminSocket = filepath.Join(dir, "s")
	journal := create(f, storageID, jcfg)
	cfg := createDefaultConfig().(*Config)
	cfg.Storage, cfg.ClickHouse.Endpoint, cfg.Password, cfg.Interval = &storageID, endpoint, configopaque.String(password), interval
	e := create(NewFactory(), component.MustNewID("ledger"), cfg)
	queue, err := journal.(storage.Extension).GetClient(t.Context(), component.KindExporter, component.MustNewID("x"), "")
	require.NoError(t, err)
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		require.NoError(t, e.Shutdown(context.Background()))
		require.NoError(t, journal.Shutdown(context.Background()))
	}
	t.Cleanup(stop)
	return &life{Ledger: e.(ledger.Ledger), queue: queue, socket: jcfg.AdminSocket, stop: stop}
}

func (l *life) offer(t *testing.T, project string, minute int64, n int) {
	t.Helper()
	ctx, _ := alongside.NewContext(t.Context(), l.Offered(minute, ledger.Items{Project: project, Items: n})...)
	require.NoError(t, l.queue.Set(ctx, fmt.Sprint(n), nil))
}

func (l *life) settle(t *testing.T, s ledger.Settlement) {
	t.Helper()
	ctx, _ := alongside.NewContext(t.Context(), l.Settled([]ledger.Settlement{s}, nil)...)
	require.NoError(t, l.queue.Set(ctx, "units", nil))
}

const sums = `SELECT project, sum(received), sum(rejected), sum(accepted), sum(stored), sum(pending), sum(dead_letter), sumMap(dropped), sum(removed)
	FROM trackway.delivery_ledger FINAL GROUP BY project ORDER BY project`

// The table has what the journal has, through restarts, an engine that is away and
// writes that are repeated.
func TestTheTableOnTheEngine(t *testing.T) {
	engine := enginetest.Start(t)
	statements, err := schema.Statements(schema.Options{CreateDatabase: true})
	require.NoError(t, err)
	for _, s := range statements {
		engine.Exec(t, s.SQL)
	}
	dir := t.TempDir()
	old := ledger.Minute(time.Now()) - 60
	l := begin(t, dir, engine.URL, engine.Password, time.Hour)
	l.offer(t, "shop", old, 10)
	l.offer(t, "blog", old, 3)
	_, settle := l.Receive(t.Context(), "shop", 4)
	settle(fmt.Errorf("full"))
	l.settle(t, ledger.Settlement{Project: "shop", Minute: old, Stored: 6, Dropped: 1, Reason: "too_old"})
	flush := func() {
		t.Helper()
		require.NoError(t, admin.NewClient(l.socket).Do(t.Context(), http.MethodPost, "/ledger/flush", nil, nil))
	}
	flush()
	flush()
	assert.Equal(t, "blog\t3\t0\t3\t0\t3\t0\t{}\t0\nshop\t14\t4\t10\t6\t3\t0\t{'too_old':1}\t0", strings.TrimSpace(engine.Query(t, sums)))

	// The minute was forgotten by the collector; the change makes a second row.
	l.settle(t, ledger.Settlement{Project: "shop", Minute: old, Stored: 3})
	l.stop()
	assert.Equal(t, "blog\t3\t0\t3\t0\t3\t0\t{}\t0\nshop\t14\t4\t10\t9\t0\t0\t{'too_old':1}\t0", strings.TrimSpace(engine.Query(t, sums)))

	require.NoError(t, engine.Stop())
	l = begin(t, dir, engine.URL, engine.Password, time.Hour)
	l.settle(t, ledger.Settlement{Project: "blog", Minute: old, DeadLetter: 3})
	err = admin.NewClient(l.socket).Do(t.Context(), http.MethodPost, "/ledger/flush", nil, nil)
	require.ErrorContains(t, err, "store unreachable")
	l.stop()
	engine.Restart(t)
	l = begin(t, dir, engine.URL, engine.Password, time.Hour)
	flush()
	assert.Equal(t, "blog\t3\t0\t3\t0\t0\t3\t{}\t0\nshop\t14\t4\t10\t9\t0\t0\t{'too_old':1}\t0", strings.TrimSpace(engine.Query(t, sums)))
}

func TestStorageMustBeAJournal(t *testing.T) {
	id := component.MustNewID("journal_storage")
	cfg := createDefaultConfig().(*Config)
	cfg.Storage = &id
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.ErrorContains(t, e.Start(t.Context(), host{}), `storage: there is no storage extension "journal_storage"`)
	require.NoError(t, e.Shutdown(t.Context()))
}
