package recount

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// good is a store of ten requests, forty spans and ten events with three keys.
func good() Tables {
	return Tables{
		Requests: 10, Spans: 40, Events: 10, DistinctRequests: 10, DistinctSpans: 40, DistinctEvents: 10,
		Keys: 180, Journey: 180, FacetItems: 30, Facets: 30, Weight: 2560, Duration: 77, Bytes: 5,
		CntM: 10, CntH: 10, CntMWeight: 2560, CntHWeight: 2560, CntMDuration: 77, CntHDuration: 77, CntMBytes: 5, CntHBytes: 5,
		LatM: 10, LatQ: 10, LatH: 10, LatMWeight: 2560,
	}
}

var accepted = Accepted{Requests: 10, Spans: 40, Events: 10, Keys: 180}

func TestEveryTableIsCompared(t *testing.T) {
	assert.Empty(t, good().Check(accepted))
	for want, spoil := range map[string]func(*Tables){
		"sum of lat_q: want 10, got 9 (-1)":               func(t *Tables) { t.LatQ-- },
		"sum of durations of cnt_h: want 77, got 0 (-77)": func(t *Tables) { t.CntHDuration = 0 },
		"rows of journey: want 180, got 183 (+3)":         func(t *Tables) { t.Journey += 3 },
		"sum of facets: want 30, got 60 (+30)":            func(t *Tables) { t.Facets *= 2 },
		"different ids of spans: want 40, got 39 (-1)":    func(t *Tables) { t.DistinctSpans-- },
	} {
		tables := good()
		spoil(&tables)
		assert.Equal(t, []string{want}, tables.Check(accepted))
	}
	lost := good()
	lost.Events--
	assert.Contains(t, lost.Check(accepted), "rows of events: want 10, got 9 (-1)")
}

func TestUnknownItemsMayBeThere(t *testing.T) {
	less := accepted
	less.Events, less.Keys, less.Unknown, less.UnknownKeys = 4, 162, 6, 18
	assert.Empty(t, good().Check(less))
	less.Unknown = 5
	assert.Equal(t, []string{"rows of events: want 4 to 9, got 10", "rows of all three: want 54 to 59, got 60"}, good().Check(less))
}

func TestContribIsCompared(t *testing.T) {
	assert.Empty(t, Contrib{Traces: 50, Logs: 10}.Check(accepted))
	assert.Len(t, Contrib{Traces: 49, Logs: 11}.Check(accepted), 2)
}

func TestTheLedgerAddsUp(t *testing.T) {
	l := Ledger{Entries: 3, Accepted: 60, Stored: 60, RequestRows: 10, SpanRows: 40, EventRows: 10}
	assert.Empty(t, l.Check(accepted, good()))
	l.Stored = 59
	assert.Equal(t, []string{
		"ledger: items stored, dead letters, dropped and removed together: want 60, got 59 (-1)", "ledger: items stored: want 60, got 59 (-1)",
	}, l.Check(accepted, good()))
	l.DeadLetter = 1
	assert.Equal(t, []string{"ledger: items stored: want 60, got 59 (-1)"}, l.Check(accepted, good()))
}
