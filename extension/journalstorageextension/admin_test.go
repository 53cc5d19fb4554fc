package journalstorageextension

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/trackwayhq/trackway/internal/admin"
)

func TestAdminSocket(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "run", "collector.sock")
	e := start(t, filepath.Join(dir, "journal"), func(c *Config) { c.AdminSocket = socket })
	ask := admin.NewClient(socket)
	queue := getClient(t, e, component.KindExporter, "traces")
	require.NoError(t, queue.Set(t.Context(), "17", []byte("secret of u_1")))
	require.NoError(t, queue.Set(t.Context(), "18", []byte("other")))
	// As a dispatch, which ends a queue's recovery.
	require.NoError(t, queue.Batch(t.Context(), storage.GetOperation("17"), storage.SetOperation("qmv0", []byte("state"))))
	getClient(t, e, component.KindExtension, "ledger")

	var pending []Pending
	require.NoError(t, ask.Do(t.Context(), http.MethodGet, "/pending", nil, &pending))
	require.Len(t, pending, 1)
	assert.Equal(t, 2, pending[0].Deliveries)
	assert.Contains(t, pending[0].Client, "otlp/test traces")
	assert.WithinDuration(t, time.Now(), *pending[0].Oldest, time.Minute)

	remove := e.HandleErasure("queue", func(_ context.Context, who admin.Erasure) (int, error) {
		assert.Equal(t, admin.Erasure{Project: "shop", Key: "user_id", Value: "u_1"}, who)
		return 1, queue.Delete(t.Context(), "17")
	})
	who := map[string]string{"project": "shop", "key": "user_id", "value": "u_1"}
	var answer Erasure
	require.NoError(t, ask.Do(t.Context(), http.MethodPost, "/erase", who, &answer))
	assert.True(t, answer.Complete)
	assert.Equal(t, []admin.Erased{{Part: "queue", Items: 1}, {Part: "journal files"}}, answer.Erased)
	segments, err := filepath.Glob(filepath.Join(dir, "journal", "*"))
	require.NoError(t, err)
	for _, s := range segments {
		b, err := os.ReadFile(s)
		require.NoError(t, err)
		assert.False(t, bytes.Contains(b, []byte("secret of u_1")), s)
	}
	remove()
	e.HandleErasure("store", func(context.Context, admin.Erasure) (int, error) { return 0, errors.New("the store is away") })
	require.NoError(t, ask.Do(t.Context(), http.MethodPost, "/erase", who, &answer))
	assert.False(t, answer.Complete)
	require.ErrorContains(t, ask.Do(t.Context(), http.MethodPost, "/erase", map[string]string{"key": "a"}, nil), "want all three")

	var stats map[string]any
	require.NoError(t, ask.Do(t.Context(), http.MethodGet, "/journal", nil, &stats))
	assert.Equal(t, filepath.Join(dir, "journal"), stats["directory"])
	require.NoError(t, e.Shutdown(t.Context()))
	require.ErrorIs(t, ask.Do(t.Context(), http.MethodGet, "/pending", nil, nil), admin.ErrNotRunning)
}
