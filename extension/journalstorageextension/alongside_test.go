package journalstorageextension

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/journal/journaltest"
)

// A count of offers, kept by another component, survives a crash exactly as the
// offers in a queue do that knows nothing of it.
func TestChangesTravelThroughAQueue(t *testing.T) {
	for write := 1; write <= 40; write++ {
		t.Run(fmt.Sprint(write), func(t *testing.T) {
			fs := journaltest.New()
			hold := make(chan struct{})
			r, err := runQueue(t, fs, 1, hold)
			require.NoError(t, err)
			ledger := getClient(t, r.extension, component.KindExtension, "ledger").(alongside.Client)
			var total uint64
			change := ledger.Change("total", 8, func(dst []byte) ([]byte, bool) {
				total++
				return binary.LittleEndian.AppendUint64(dst, total), true
			})
			fs.CrashAfter(write)
			for i := range 30 {
				ctx, changes := alongside.NewContext(t.Context(), change)
				err := r.offer(ctx, fmt.Sprint(i))
				if err != nil {
					break
				}
				require.True(t, changes.Applied())
			}
			fs.Crash()
			r.kill()
			rng := rand.New(rand.NewPCG(uint64(write), 1))
			fs = fs.Restart(rng, journaltest.LoseSome)

			r, err = runQueue(t, fs, 1, make(chan struct{}))
			require.NoError(t, err)
			value, err := getClient(t, r.extension, component.KindExtension, "ledger").Get(t.Context(), "total")
			require.NoError(t, err)
			var counted uint64
			if value != nil {
				counted = binary.LittleEndian.Uint64(value)
			}
			fs.Crash()
			r.kill()
			assert.Len(t, drain(t, fs.Restart(rng, journaltest.LoseSome), int(counted)), int(counted))
		})
	}
}

func TestChangesAreAppliedOnce(t *testing.T) {
	e := start(t, t.TempDir())
	queue := getClient(t, e, component.KindExporter, "queue")
	ledger := getClient(t, e, component.KindExtension, "ledger").(alongside.Client)
	n := 0
	ctx, changes := alongside.NewContext(t.Context(), ledger.Change("n", 1, func(dst []byte) ([]byte, bool) {
		n++
		return append(dst, byte(n)), true
	}))
	_, err := queue.Get(ctx, "k")
	require.NoError(t, err)
	assert.False(t, changes.Applied(), "a read stores nothing")
	require.NoError(t, queue.Set(ctx, "k", []byte("v")))
	assert.True(t, changes.Applied())
	require.NoError(t, queue.Set(ctx, "k", []byte("w")))
	value, err := ledger.Get(t.Context(), "n")
	require.NoError(t, err)
	assert.Equal(t, []byte{1}, value)

	other := getClient(t, start(t, t.TempDir()), component.KindExporter, "queue")
	ctx, changes = alongside.NewContext(t.Context(), ledger.Change("n", 1, func([]byte) ([]byte, bool) { return nil, false }))
	require.ErrorContains(t, other.Set(ctx, "k", nil), "in another journal")
	assert.False(t, changes.Applied())
}
