package livetail

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

var limits = Limits{Subscribers: 3, PerSecond: 5, Buffer: 4, BufferBytes: 1 << 20}

func request(project string, status uint16) record.Record {
	return record.Record{Kind: record.Request, Project: project, Time: time.Unix(1, 0), Status: status, Service: "api"}
}

func statuses(t *testing.T, records [][]byte) (out []uint16) {
	t.Helper()
	for _, r := range records {
		var j record.JSON
		require.NoError(t, json.Unmarshal(r, &j))
		out = append(out, j.Status)
	}
	return out
}

func TestHub(t *testing.T) {
	h := NewHub(limits)
	now := time.Unix(100, 0)
	h.now = func() time.Time { return now }
	assert.False(t, h.Active())
	h.Publish([]record.Record{request("a", 500)}) // nobody listens: nothing happens

	all, err := h.Subscribe("a", "")
	require.NoError(t, err)
	failed, err := h.Subscribe("a", "status >= 500")
	require.NoError(t, err)
	other, err := h.Subscribe("b", "")
	require.NoError(t, err)
	_, err = h.Subscribe("a", "")
	require.ErrorIs(t, err, ErrTooMany)
	assert.True(t, h.Active())

	h.Publish([]record.Record{request("a", 200), request("a", 503)})
	<-all.Ready()
	records, missed := all.Take()
	assert.Equal(t, []uint16{200, 503}, statuses(t, records))
	assert.Zero(t, missed)
	records, _ = failed.Take()
	assert.Equal(t, []uint16{503}, statuses(t, records))
	records, _ = other.Take()
	assert.Empty(t, records)

	t.Run("the oldest are dropped", func(t *testing.T) {
		now = now.Add(time.Second)
		for i := range 5 {
			h.Publish([]record.Record{request("a", uint16(200+i))})
		}
		records, missed := all.Take()
		assert.Equal(t, []uint16{201, 202, 203, 204}, statuses(t, records))
		assert.Equal(t, uint64(1), missed)
		_, missed = all.Take()
		assert.Zero(t, missed, "counted once")
	})
	t.Run("no more than so many a second", func(t *testing.T) {
		h.Publish([]record.Record{request("a", 200)})
		records, missed := all.Take()
		assert.Empty(t, records)
		assert.Equal(t, uint64(1), missed)
		now = now.Add(time.Second)
		h.Publish([]record.Record{request("a", 200)})
		records, _ = all.Take()
		assert.Len(t, records, 1)
	})
	t.Run("a closed one takes no more", func(t *testing.T) {
		all.Close()
		all.Close()
		<-all.Done()
		again, err := h.Subscribe("a", "")
		require.NoError(t, err)
		again.Close()
	})
	h.Close()
	<-failed.Done()
	failed.Close()
	other.Close()
	assert.False(t, h.Active())
	_, err = h.Subscribe("a", "")
	require.Error(t, err)
}

// However a filter is written, it is matched once for all who wrote it.
func TestHubGroupsByMeaning(t *testing.T) {
	h := NewHub(limits)
	defer h.Close()
	for _, text := range []string{"status:5xx -service:db", "status >= 500 and (status <= 599) NOT service='db'"} {
		s, err := h.Subscribe("a", text)
		require.NoError(t, err)
		defer s.Close()
	}
	assert.Len(t, h.groups, 1)
	h.Publish([]record.Record{request("a", 503)})
	for g := range h.groups {
		for s := range h.groups[g].subscribers {
			records, _ := s.Take()
			assert.Equal(t, []uint16{503}, statuses(t, records))
		}
	}
}

func TestHubBadFilter(t *testing.T) {
	_, err := NewHub(limits).Subscribe("a", "status >")
	var fe *filter.Error
	require.ErrorAs(t, err, &fe)
}

func TestBufferBytes(t *testing.T) {
	h := NewHub(Limits{Subscribers: 1, PerSecond: 100, Buffer: 100, BufferBytes: 600})
	s, err := h.Subscribe("a", "")
	require.NoError(t, err)
	defer s.Close()
	for i := range 10 {
		h.Publish([]record.Record{request("a", uint16(i))})
	}
	records, missed := s.Take()
	size := 0
	for _, r := range records {
		size += len(r)
	}
	assert.LessOrEqual(t, size, 600)
	assert.Equal(t, uint64(10), uint64(len(records))+missed)
}

func BenchmarkPublish(b *testing.B) {
	records := make([]record.Record, 500)
	for i := range records {
		records[i] = request("a", uint16(200+i%10))
	}
	for _, listeners := range []int{0, 1, 10} {
		b.Run(fmt.Sprint(listeners, " listeners"), func(b *testing.B) {
			h := NewHub(Limits{Subscribers: 100, PerSecond: 1000, Buffer: 1024, BufferBytes: 1 << 22})
			for i := range listeners {
				_, err := h.Subscribe("a", fmt.Sprint("status = ", 200+i))
				require.NoError(b, err)
			}
			for b.Loop() {
				h.Publish(records)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/row")
		})
	}
}
