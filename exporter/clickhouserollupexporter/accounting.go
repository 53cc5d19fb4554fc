package clickhouserollupexporter

import (
	"context"
	"fmt"
	"slices"

	"go.opentelemetry.io/collector/component"

	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/convert"
	"github.com/trackwayhq/trackway/internal/ledger"
)

// delivery is what has to be known of a delivery beside its rows, while it is
// offered together with others.
type delivery struct {
	tally *ledger.Tally // nil if the context had none
	// untallied are the items by project of a delivery without a tally.
	untallied map[string]int
	// batch is the sender's id of it; nil if it gave none.
	batch *batch
}

// findLedger finds the ledger extension among the host's.
func (e *rollupExporter) findLedger(host component.Host) error {
	if e.cfg.Ledger == nil {
		return nil
	}
	ext, ok := host.GetExtensions()[*e.cfg.Ledger]
	if !ok {
		return fmt.Errorf("ledger: there is no extension %q under service::extensions", e.cfg.Ledger)
	}
	if e.inserter.counted, ok = ext.(ledger.Ledger); !ok {
		return fmt.Errorf("ledger: extension %q is not a ledger extension", e.cfg.Ledger)
	}
	return nil
}

// deliveryOf notes whose delivery it is, and tells its tally what was dropped.
func (e *rollupExporter) deliveryOf(ctx context.Context, b *columns.Batch, summary *convert.Summary) *delivery {
	d := &delivery{tally: ledger.FromContext(ctx)}
	for _, reason := range convert.Reasons() {
		d.tally.Dropped(reason.String(), summary.Dropped[reason])
	}
	if d.tally == nil && e.inserter.counted != nil {
		d.untallied = itemsByProject(b)
	}
	return d
}

func itemsByProject(b *columns.Batch) map[string]int {
	items := map[string]int{}
	b.ItemsByProject(func(project string, n int) { items[project] += n })
	return items
}

// offerChanges count the items of an offer and remember the ids of the batches in it.
func (e *rollupExporter) offerChanges(b *columns.Batch, minute int64, from []*delivery) []alongside.Change {
	var changes []alongside.Change
	for _, d := range from {
		changes = append(changes, e.batchIDs.changes(d)...)
	}
	if e.inserter.counted != nil {
		untallied := map[string]int{}
		for _, d := range from {
			for project, n := range d.untallied {
				untallied[project] += n
			}
		}
		var items []ledger.Items
		for project, n := range itemsByProject(b) {
			items = append(items, ledger.Items{Project: project, Items: n, Untallied: untallied[project]})
		}
		changes = append(changes, e.inserter.counted.Offered(minute, items...)...)
	}
	return changes
}

// countStored has a unit's items counted as stored with the note that it is.
func (in *inserter) countStored(ctx context.Context, u *unit) context.Context {
	return in.count(ctx, u, u.has, func(s *ledger.Settlement, n int) { s.Stored += n })
}

// countBuried has the unit's only item counted as a dead letter, and the rows of it
// that some tables took.
func (in *inserter) countBuried(ctx context.Context, u *unit, refused *refusal) context.Context {
	return in.count(ctx, u, refused.took(u), func(s *ledger.Settlement, n int) { s.DeadLetter += n })
}

// countTaken has the rows counted that some tables took of a unit that others
// refused. What becomes of the items is counted with the units that it is split
// into.
func (in *inserter) countTaken(ctx context.Context, u *unit, refused *refusal) context.Context {
	return in.count(ctx, u, refused.took(u), nil)
}

// took says of which tables a refused unit is in.
func (r *refusal) took(u *unit) func(table string) bool {
	return func(table string) bool {
		return r.tables != nil && u.has(table) && !slices.Contains(r.tables, table)
	}
}

// count gives a context with the changes of the ledger that go with a note in the
// unit log: the items of the unit, unless outcome is nil, and its rows in the tables
// that have them.
func (in *inserter) count(ctx context.Context, u *unit, took func(table string) bool, outcome func(*ledger.Settlement, int)) context.Context {
	if in.counted == nil {
		return ctx
	}
	type key struct {
		project string
		minute  int64
	}
	items := map[key]*ledger.Settlement{}
	rows := map[string]*ledger.UnitRows{}
	for _, p := range u.pieces {
		if outcome != nil {
			p.part.ItemsByProject(func(project string, n int) {
				k := key{project, p.minute}
				if items[k] == nil {
					items[k] = &ledger.Settlement{Project: project, Minute: p.minute}
				}
				outcome(items[k], n)
			})
		}
		ledger.RowsOf(p.part, u.id, func(r ledger.UnitRows) {
			if rows[r.Project] == nil {
				rows[r.Project] = &ledger.UnitRows{Project: r.Project, Unit: u.id}
			}
			sum := rows[r.Project]
			if took("requests") {
				sum.Requests += r.Requests
			}
			if took("spans") {
				sum.Spans += r.Spans
			}
			if took("events") {
				sum.Events += r.Events
			}
		})
	}
	var settlements []ledger.Settlement
	for _, s := range items {
		settlements = append(settlements, *s)
	}
	var unitRows []ledger.UnitRows
	for _, r := range rows {
		unitRows = append(unitRows, *r)
	}
	ctx, _ = alongside.NewContext(ctx, in.counted.Settled(settlements, unitRows)...)
	return ctx
}
