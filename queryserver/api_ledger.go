package queryserver

import (
	"context"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type ledgerInput struct {
	ProjectParam
	WindowParams
}

// Ledger is what became of every item that a project sent.
type Ledger struct {
	From  time.Time      `json:"from" doc:"Steps are whole."`
	To    time.Time      `json:"to"`
	Step  int64          `json:"step_seconds" doc:"60 for windows up to a day, 3600 up to 60 days, 86400 beyond."`
	Total LedgerCounts   `json:"total"`
	Steps []LedgerBucket `json:"steps" doc:"Oldest first, by when the items were received; steps without any are left out."`
	Stats Stats          `json:"stats"`
}

// LedgerBucket is the counts of one step.
type LedgerBucket struct {
	Start time.Time `json:"start"`
	LedgerCounts
}

// LedgerCounts are items, spans and log records as they arrived:
// received = accepted + rejected, and
// accepted = stored + pending + dead_letter + dropped + removed_in_pipeline.
type LedgerCounts struct {
	Received   int64            `json:"received"`
	Rejected   int64            `json:"rejected" doc:"Refused with a status or an error of their line: the sender was told."`
	Accepted   int64            `json:"accepted"`
	Stored     int64            `json:"stored"`
	Pending    int64            `json:"pending" doc:"Waiting in the collectors' queues."`
	DeadLetter int64            `json:"dead_letter" doc:"Refused by the store for good; trackway deadletter shows them."`
	Dropped    map[string]int64 `json:"dropped" doc:"By reason."`
	Removed    int64            `json:"removed_in_pipeline" doc:"Taken out by a processor, such as a filter."`
	Balanced   bool             `json:"balanced" doc:"Whether both equations hold and no count is negative."`
	Difference int64            `json:"difference" doc:"accepted less what became of it: 0 unless more became of items than were accepted."`
}

// defaultLedger is how far the ledger is looked back unless told.
const defaultLedger = time.Hour

// ledgerSteps are the steps by the longest windows they are for, so that an answer
// has some 1,500 of them at most.
var ledgerSteps = []struct{ longest, step time.Duration }{
	{wholeDay, time.Minute}, {60 * wholeDay, time.Hour}, {maxUsage, wholeDay},
}

func (a *api) registerLedger(h huma.API) {
	huma.Register(h, get("ledger", "ledger", "What became of every item"), a.ledger)
}

func (a *api) ledger(ctx context.Context, in *ledgerInput) (*answer[Ledger], error) {
	w, err := in.resolve(a.now(), defaultLedger)
	if err != nil {
		return nil, err
	}
	w, step, err := ledgerWindow(w)
	if err != nil {
		return nil, badParameter("from", in.From, err)
	}
	out := Ledger{From: w.From, To: w.To, Step: int64(step / time.Second), Steps: []LedgerBucket{}}
	stats, err := a.ask(ctx, planLedger(in.Project, w, step), func(r *clickhouse.Reader) {
		b := LedgerBucket{Start: time.Unix(int64(r.Uint32()), 0).UTC()}
		b.Received, b.Rejected, b.Stored, b.DeadLetter, b.Removed = r.Int64(), r.Int64(), r.Int64(), r.Int64(), r.Int64()
		b.Dropped = map[string]int64{}
		for range r.Len() {
			reason := r.String()
			b.Dropped[reason] = r.Int64()
		}
		out.Total.add(&b.LedgerCounts)
		b.balance()
		out.Steps = append(out.Steps, b)
	})
	if err != nil {
		return nil, err
	}
	out.Total.balance()
	for i := range out.Steps {
		out.Total.Balanced = out.Total.Balanced && out.Steps[i].Balanced
	}
	out.Stats = statsOf(stats)
	return &answer[Ledger]{Body: out}, nil
}

// ledgerWindow makes a window one of whole steps.
func ledgerWindow(w window) (window, time.Duration, error) {
	for _, s := range ledgerSteps {
		if whole := (window{floor(w.From, s.step), ceil(w.To, s.step)}); w.Span() <= s.longest {
			return whole, s.step, nil
		}
	}
	return w, 0, fmt.Errorf("want at most %d days, got %d", maxUsage/wholeDay, w.Span()/wholeDay)
}

func planLedger(project string, w window, step time.Duration) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: "ledger", SQL: render("ledger", map[string]any{
		"Step": int64(step / time.Second), "From": p.seconds(w.From.Unix()), "To": p.seconds(w.To.Unix()),
	}), Params: p.values}
}

// add adds what was counted, which the rest follows from.
func (c *LedgerCounts) add(o *LedgerCounts) {
	c.Received += o.Received
	c.Rejected += o.Rejected
	c.Stored += o.Stored
	c.DeadLetter += o.DeadLetter
	c.Removed += o.Removed
	for reason, n := range o.Dropped {
		if c.Dropped == nil {
			c.Dropped = map[string]int64{}
		}
		c.Dropped[reason] += n
	}
}

// balance fills in what follows from the counts. The ledger does not count what is
// pending: it is what is left of the accepted. So the equation fails where more
// became of items than were accepted, and nothing can be pending then.
func (c *LedgerCounts) balance() {
	c.Accepted = c.Received - c.Rejected
	left := c.Accepted - c.Stored - c.DeadLetter - c.Removed
	c.Balanced = min(c.Received, c.Rejected, c.Accepted, c.Stored, c.DeadLetter, c.Removed) >= 0
	if c.Dropped == nil {
		c.Dropped = map[string]int64{}
	}
	for _, n := range c.Dropped {
		left -= n
		c.Balanced = c.Balanced && n >= 0
	}
	c.Pending = max(left, 0)
	c.Difference = left - c.Pending
	c.Balanced = c.Balanced && c.Difference == 0
}
