package clickhouserollupexporter

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.uber.org/zap"
)

func openLog(t *testing.T, w *world) *unitLog {
	t.Helper()
	client, err := w.GetClient(context.Background(), component.KindExporter, component.ID{}, "traces")
	require.NoError(t, err)
	l := newUnitLog()
	require.NoError(t, l.open(context.Background(), client))
	return l
}

func TestUnitLogSurvivesReopening(t *testing.T) {
	w, ctx := newWorld(), context.Background()
	a, b := newDeliveryID(), newDeliveryID()
	l := openLog(t, w)
	first := &loggedUnit{id: 1, window: -3, state: planned, pieces: []pieceRef{{delivery: a}, {delivery: b, path: path{}.half(true).half(false)}}}
	second := &loggedUnit{id: 2, window: 4, state: planned, tables: []string{"requests", "cnt_m"}, pieces: []pieceRef{{delivery: b}}}
	require.NoError(t, l.plan(ctx, first))
	require.NoError(t, l.plan(ctx, first), "repeated, as after a wait that failed")
	require.NoError(t, l.plan(ctx, second))
	require.NoError(t, l.done(ctx, first))
	assert.Equal(t, []*loggedUnit{first, second}, openLog(t, w).units)

	l.deleted(a)
	require.NoError(t, l.flush(ctx))
	assert.Len(t, openLog(t, w).units, 2, "b is still in the queue")
	l.deleted(b)
	require.NoError(t, l.flush(ctx))
	assert.Equal(t, []*loggedUnit{second}, openLog(t, w).units, "a unit that is not stored stays, whatever was deleted")
	third, fourth := &loggedUnit{id: 3, state: planned, pieces: second.pieces}, &loggedUnit{id: 4, state: planned, pieces: second.pieces}
	require.NoError(t, l.replace(ctx, second, third, fourth))
	assert.Equal(t, []*loggedUnit{third, fourth}, openLog(t, w).units)
}

// TestUnitWithoutItsDeliveryIsDoubtful starts with a unit of which a delivery is gone.
func TestUnitWithoutItsDeliveryIsDoubtful(t *testing.T) {
	w := newWorld()
	gone, there := newDeliveryID(), newDeliveryID()
	l := openLog(t, w)
	require.NoError(t, l.plan(context.Background(), &loggedUnit{id: 0xab, window: 7, state: planned, pieces: []pieceRef{{delivery: gone}, {delivery: there}}}))
	require.NoError(t, l.client.Set(context.Background(), "5", appendItem(nil, there, fixedNow.Unix()/60, batchOf(requestTraces(1, fixedNow)))))

	l = openLog(t, w)
	r := newRecovered()
	require.NoError(t, r.load(context.Background(), l, l.client, zap.NewNop()))
	assert.Empty(t, r.units)
	assert.Nil(t, r.of(there), "it goes into a new unit")
	assert.Empty(t, l.units)
	value, err := l.client.Get(context.Background(), "doubtful/00000000000000ab")
	require.NoError(t, err)
	var d doubtful
	require.NoError(t, json.Unmarshal(value, &d))
	assert.Equal(t, int64(7), d.Window)
	assert.Equal(t, "00000000000000ab", d.Unit)
	assert.Contains(t, d.Missing, gone.String())
}

func FuzzUnitLog(f *testing.F) {
	u := &loggedUnit{id: 1, window: 2, state: stored, tables: []string{"spans"}, pieces: []pieceRef{{delivery: newDeliveryID(), path: path{}.half(true)}}}
	f.Add(u.appendTo([]byte{unitsVersion, 1}))
	f.Add([]byte{unitsVersion, 0})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		units, err := decodeUnits(data)
		if err != nil {
			assert.ErrorIs(t, err, errUnits)
			return
		}
		for _, u := range units {
			again, err := decodeUnits(u.appendTo([]byte{unitsVersion, 1}))
			require.NoError(t, err)
			assert.Equal(t, u, again[0])
		}
	})
}
