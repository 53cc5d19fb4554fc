package journalstorageextension

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/extension/journalstorageextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/configtest"
	"github.com/trackwayhq/trackway/internal/groupcommit"
	"github.com/trackwayhq/trackway/internal/journal"
	"github.com/trackwayhq/trackway/internal/metadatatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMetadata(t *testing.T) {
	metadatatest.Check(t, metadata.Type, map[string]component.StabilityLevel{"extension": metadata.ExtensionStability},
		func(set component.TelemetrySettings) error {
			_, err := metadata.NewTelemetryBuilder(set)
			return err
		})
}

func loadConfig(t *testing.T, file string) (component.Config, error) {
	t.Helper()
	return configtest.Load(t, file, "", createDefaultConfig())
}

func TestConfig(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(NewFactory().CreateDefaultConfig()))
	cfg, err := loadConfig(t, "good.yaml")
	require.NoError(t, err)
	assert.Equal(t, &Config{
		Directory: "/var/lib/trackway/journal", MaxBytes: 1 << 30, SegmentBytes: 16 << 20, CacheBytes: 8 << 20,
		Sync: journal.SyncEach, FlushInterval: time.Second,
	}, cfg)
}

func TestBadConfigs(t *testing.T) {
	for file, want := range map[string]string{
		"no_directory.yaml":                   "directory: required",
		"misspelt_key.yaml":                   "has invalid keys: dir",
		"unknown_sync.yaml":                   `sync: want "group", "each" or "off", got "always"`,
		"max_bytes_for_too_few_segments.yaml": "max_bytes: want at least 268435456, which is 8 times segment_bytes, got 1048576",
		"tiny_segments.yaml":                  "segment_bytes: want 65536 to 1073741824, got 512",
		"no_cache_and_no_flush.yaml":          "flush_interval: want a duration above 0, got 0s",
	} {
		t.Run(file, func(t *testing.T) {
			_, err := loadConfig(t, file)
			require.ErrorContains(t, err, want)
		})
	}
}

// start starts the extension over a directory with small segments.
func start(t *testing.T, dir string, change ...func(*Config)) *journalStorage {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Directory, cfg.SegmentBytes, cfg.MaxBytes = dir, 1<<20, 16<<20
	for _, c := range change {
		c(cfg)
	}
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { assert.NoError(t, e.Shutdown(t.Context())) })
	return e.(*journalStorage)
}

var exporterID = component.MustNewIDWithName("otlp", "test")

func getClient(t *testing.T, e *journalStorage, kind component.Kind, name string) storage.Client {
	t.Helper()
	c, err := e.GetClient(t.Context(), kind, exporterID, name)
	require.NoError(t, err)
	return c
}

func TestClientKeepsValues(t *testing.T) {
	dir := t.TempDir()
	e := start(t, dir)
	c := getClient(t, e, component.KindReceiver, "")
	ctx := t.Context()
	value, err := c.Get(ctx, "absent")
	require.NoError(t, err)
	assert.Nil(t, value)
	require.NoError(t, c.Set(ctx, "a", []byte("1")))
	require.NoError(t, c.Set(ctx, "b", []byte("2")))
	require.NoError(t, c.Delete(ctx, "a"))
	require.NoError(t, c.Delete(ctx, "absent"))
	got := storage.GetOperation("b")
	require.NoError(t, c.Batch(ctx, got, storage.SetOperation("c", []byte("3")), storage.DeleteOperation("b")))
	assert.Equal(t, "2", string(got.Value))
	require.ErrorContains(t, c.Batch(ctx, &storage.Operation{Type: 7, Key: "x"}), `operation type 7 of key "x"`)

	_, err = e.GetClient(ctx, component.KindReceiver, exporterID, "")
	require.ErrorIs(t, err, journal.ErrInUse)
	other := getClient(t, e, component.KindReceiver, "other")
	value, err = other.Get(ctx, "c")
	require.NoError(t, err)
	assert.Nil(t, value, "clients do not see each other's keys")
	require.NoError(t, c.Close(ctx))
	require.NoError(t, e.Shutdown(ctx))

	c = getClient(t, start(t, dir), component.KindReceiver, "")
	seen := map[string]string{}
	require.NoError(t, c.(storage.Walker).Walk(ctx, func(key string, value []byte) ([]*storage.Operation, error) {
		seen[key] = string(value)
		return []*storage.Operation{storage.DeleteOperation(key)}, nil
	}))
	assert.Equal(t, map[string]string{"c": "3"}, seen)
	value, err = c.Get(ctx, "c")
	require.NoError(t, err)
	assert.Nil(t, value)
}

func TestTicketWaitsOutsideTheBatch(t *testing.T) {
	e := start(t, t.TempDir())
	c := getClient(t, e, component.KindExporter, "traces")
	ctx, ticket := groupcommit.WithTicket(t.Context())
	require.NoError(t, c.Set(ctx, "a", []byte("1")))
	require.NoError(t, ticket.Wait(ctx))
	assert.Positive(t, e.journal.Stats().Syncs)
	require.NoError(t, ticket.Wait(ctx), "nothing is left to wait for")
}

func TestFullStorage(t *testing.T) {
	e := start(t, t.TempDir(), func(c *Config) { c.SegmentBytes, c.MaxBytes = 64<<10, 512<<10 })
	c := getClient(t, e, component.KindExporter, "traces")
	var err error
	for i := 0; err == nil; i++ {
		err = c.Set(t.Context(), string(rune('a'+i)), make([]byte, 16<<10))
	}
	require.ErrorIs(t, err, storage.ErrStorageFull)
	require.ErrorIs(t, err, journal.ErrFull)
}

func TestCorruptJournalRefusesToStart(t *testing.T) {
	dir := t.TempDir()
	e := start(t, dir)
	c := getClient(t, e, component.KindExporter, "traces")
	require.NoError(t, c.Set(t.Context(), "a", []byte("some value")))
	require.NoError(t, e.Shutdown(t.Context()))
	path := filepath.Join(dir, "0000000000000001.seg")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{0xff}, 4096+40)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	cfg := *e.config
	again, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), &cfg)
	require.NoError(t, err)
	err = again.Start(t.Context(), componenttest.NewNopHost())
	require.ErrorContains(t, err, path+" at offset 4096: record 1 is damaged")
	require.NoError(t, again.Shutdown(t.Context()))
}
