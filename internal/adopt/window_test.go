package adopt

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestWindowRemembersWhatWasSent(t *testing.T) {
	dir, minute := t.TempDir(), time.Date(2026, 11, 30, 12, 5, 0, 0, time.UTC)
	w, err := openWindow(dir, "otel_traces", minute)
	require.NoError(t, err)
	first, err := w.begin([]uint64{1, 2, 2})
	require.NoError(t, err)
	require.NoError(t, w.done(first))
	second, err := w.begin([]uint64{1, 2, 2})
	require.NoError(t, err)
	assert.NotEqual(t, first, second, "the same rows later are another batch")
	require.NoError(t, w.close())

	w, err = openWindow(dir, "otel_traces", minute)
	require.NoError(t, err)
	assert.Equal(t, map[uint64]int{1: 1, 2: 2}, w.sent)
	assert.Equal(t, int64(3), w.rows)
	require.Len(t, w.pending, 1, "without an answer it is sent again")
	assert.Equal(t, entry{ID: second, Rows: []uint64{1, 2, 2}}, w.pending[0])
	require.NoError(t, w.done(second))
	require.NoError(t, w.close())

	// The machine stops while a line is written: that batch was not sent.
	f, err := os.OpenFile(w.path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"id":"adopt-x","rows":[5`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	w, err = openWindow(dir, "otel_traces", minute)
	require.NoError(t, err)
	assert.Empty(t, w.pending)
	third, err := w.begin([]uint64{7})
	require.NoError(t, err)
	require.NoError(t, w.done(third))
	require.NoError(t, w.close())
	w, err = openWindow(dir, "otel_traces", minute)
	require.NoError(t, err)
	assert.Equal(t, int64(7), w.rows, "lines after a torn one can be read")
	require.NoError(t, w.close())

	require.NoError(t, os.WriteFile(w.path, []byte("rubbish\n{}\n"), 0o600))
	_, err = openWindow(dir, "otel_traces", minute)
	require.ErrorContains(t, err, w.path+":1: what was sent cannot be read")
}

func TestCursorAndPruning(t *testing.T) {
	dir, minute := t.TempDir(), time.Date(2026, 11, 30, 12, 5, 0, 0, time.UTC)
	next, err := loadCursor(dir, "otel_logs")
	require.NoError(t, err)
	assert.True(t, next.IsZero())
	require.NoError(t, saveCursor(dir, "otel_logs", minute))
	next, err = loadCursor(dir, "otel_logs")
	require.NoError(t, err)
	assert.Equal(t, minute, next)
	for _, m := range []time.Time{minute, minute.Add(time.Minute)} {
		w, err := openWindow(dir, "otel_logs", m)
		require.NoError(t, err)
		require.NoError(t, w.close())
	}
	require.NoError(t, prune(dir, "otel_logs", minute.Add(time.Minute)))
	assert.NoFileExists(t, windowPath(dir, "otel_logs", minute))
	assert.FileExists(t, windowPath(dir, "otel_logs", minute.Add(time.Minute)))
}

func TestAttributes(t *testing.T) {
	var a attributes
	require.NoError(t, a.UnmarshalJSON([]byte(`{"z":"text","http":{"request":{"method":"GET"},"status":200},"ok":true,"ratio":0.5,"tags":["a"],"none":null}`)))
	m := pcommon.NewMap()
	a.copyTo(m)
	assert.Equal(t, map[string]any{
		"z": "text", "http.request.method": "GET", "http.status": int64(200), "ok": true, "ratio": 0.5, "tags": `["a"]`,
	}, m.AsRaw())
	require.Error(t, a.UnmarshalJSON([]byte(`[]`)))
}

func TestIDsThatAreNone(t *testing.T) {
	assert.Equal(t, pcommon.TraceID{1}, traceID("01000000000000000000000000000000"))
	assert.True(t, traceID("").IsEmpty())
	assert.True(t, traceID("xyz").IsEmpty())
	assert.True(t, spanID("0102").IsEmpty())
}
