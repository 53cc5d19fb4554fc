package clickhouserollupexporter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/convert"
	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/record"
)

// batchOf converts traces.
func batchOf(td ptrace.Traces) *columns.Batch {
	src, release := ids.NewGenerator().For("", ids.Traces)
	defer release()
	b := &columns.Batch{}
	convert.New(convert.Options{TTLDays: 30}).AppendTraces(td, src, time.Now(), b)
	return b
}

func TestUnits(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	add := func(q *units, days ...int) *request {
		var b columns.Batch
		for i, d := range days {
			b.BeginItem("default")
			b.Append(&record.Record{Kind: record.Request, Project: "default", RID: uint64(i), Time: now.AddDate(0, 0, -d)})
		}
		r := &request{id: newDeliveryID(), items: b.Items(), batch: &b}
		r.expect(len(b.Parts()))
		q.add(r, b.Parts())
		return r
	}
	newQueue := func() *units {
		q := newUnits(UnitConfig{MaxAge: time.Second, MinRows: 3, MaxRows: 4, MaxBytes: 1 << 20})
		q.now = func() time.Time { return now }
		return q
	}
	t.Run("waits for its age", func(t *testing.T) {
		q := newQueue()
		add(q, 0)
		u, wait := q.take()
		require.Nil(t, u)
		assert.Equal(t, time.Second, wait)
		q.now = func() time.Time { return now.Add(time.Second) }
		u, _ = q.take()
		require.NotNil(t, u)
		assert.Equal(t, 1, u.rows)
	})
	t.Run("waits no longer with enough rows", func(t *testing.T) {
		q := newQueue()
		add(q, 0, 0, 0)
		u, _ := q.take()
		require.NotNil(t, u)
		assert.Equal(t, 3, u.rows)
	})
	t.Run("waits no longer when others have no room", func(t *testing.T) {
		q := newQueue()
		add(q, 0)
		q.press()
		u, _ := q.take()
		require.NotNil(t, u)
		q.release()
		add(q, 0)
		u, _ = q.take()
		require.Nil(t, u)
	})
	t.Run("is full at once", func(t *testing.T) {
		q := newQueue()
		a := add(q, 0, 0)
		b := add(q, 0, 0, 0)
		u, _ := q.take()
		require.NotNil(t, u)
		assert.Equal(t, 5, u.rows, "a delivery is not split by rows")
		assert.False(t, q.withdraw(a), "not any more")
		u.finish(nil)
		<-a.done
		<-b.done
		require.NoError(t, a.result())
	})
	t.Run("holds few days", func(t *testing.T) {
		q := newQueue()
		r := add(q, 0, 5, 10)
		q.drain()
		for range 3 {
			u, _ := q.take()
			require.NotNil(t, u)
			assert.Equal(t, 1, u.rows)
			select {
			case <-r.done:
				t.Fatal("done before all of it is stored")
			default:
			}
			u.finish(nil)
		}
		<-r.done
	})
	t.Run("gives back what nobody waits for", func(t *testing.T) {
		q := newQueue()
		add(q, 0)
		b := add(q, 0, 5)
		require.True(t, q.withdraw(b))
		q.drain()
		u, _ := q.take()
		require.NotNil(t, u)
		assert.Equal(t, 1, u.rows)
		u, _ = q.take()
		require.Nil(t, u)
	})
}
