package recount

import (
	"context"
	_ "embed"

	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

//go:embed sql/ledger.sql
var ledgerSQL string

// Ledger is what the delivery ledger says of all projects and minutes, in items.
type Ledger struct {
	Entries     int64 `json:"entries"`
	Accepted    int64 `json:"accepted"`
	Stored      int64 `json:"stored"`
	DeadLetter  int64 `json:"dead_letter"`
	Dropped     int64 `json:"dropped"`
	Removed     int64 `json:"removed"`
	RequestRows int64 `json:"request_rows"`
	SpanRows    int64 `json:"span_rows"`
	EventRows   int64 `json:"event_rows"`
}

// CountLedger adds up the ledger. It is written now and then, so what happened a
// moment ago may not be in it yet.
func CountLedger(ctx context.Context, e clickhouse.Endpoint) (Ledger, error) {
	return one[Ledger](ctx, e, ledgerSQL)
}

// Check compares the ledger with what senders were told and what the tables hold.
func (l Ledger) Check(a Accepted, t Tables) []string {
	var w differences
	w.between("ledger: items accepted", l.Accepted, a.Items(), a.Items()+a.Unknown)
	w.equal("ledger: items stored, dead letters, dropped and removed together", l.Stored+l.DeadLetter+l.Dropped+l.Removed, l.Accepted)
	w.equal("ledger: items stored", l.Stored, l.Accepted)
	w.equal("ledger: rows of requests", l.RequestRows, t.Requests)
	w.equal("ledger: rows of spans", l.SpanRows, t.Spans)
	w.equal("ledger: rows of events", l.EventRows, t.Events)
	return w
}
