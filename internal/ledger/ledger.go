package ledger

import (
	"context"
	"time"

	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/columns"
)

// Ledger is what components count with. The ledger extension implements it; a
// component finds it among the host's extensions.
type Ledger interface {
	// Receive counts items that a sender delivered for a project. The context goes
	// on with them; settle must be called once with what became of them.
	Receive(ctx context.Context, project string, items int) (_ context.Context, settle func(error))
	// Offered counts items as accepted, in the record of the offer.
	Offered(minute int64, items ...Items) []alongside.Change
	// Settled counts what became of accepted items, and the rows that were stored of
	// them, in the record that says so.
	Settled(counts []Settlement, rows []UnitRows) []alongside.Change
}

// Items of one project in an offer.
type Items struct {
	Project string
	Items   int
	// Untallied is how many of the items came without a tally in their context,
	// because a processor in front handed them over in another: the project
	// processor has counted them as removed then.
	Untallied int
}

// Settlement is what became of items of one project that were offered in one minute.
// Counts may be negative: a dead letter that is replayed is one less.
type Settlement struct {
	Project string
	Minute  int64
	Stored  int
	// DeadLetter items are in the dead letters.
	DeadLetter int
	// Dropped items are gone for Reason, one of Reasons.
	Dropped int
	Reason  string
}

// UnitRows is how many rows of one project a unit stored.
type UnitRows struct {
	Project string
	// Unit is the unit's id. It says when the unit was formed, and every row has it,
	// so the rows of a minute can be recounted in the store.
	Unit                    uint64
	Requests, Spans, Events int
}

// Minute is the number of a minute: minutes since 1970, UTC.
func Minute(t time.Time) int64 { return t.Unix() / 60 }

// RowsOf calls add for each project in a part of a unit.
func RowsOf(p *columns.Part, unit uint64, add func(UnitRows)) {
	p.RowsByProject(func(project string, requests, spans, events int) {
		add(UnitRows{Project: project, Unit: unit, Requests: requests, Spans: spans, Events: events})
	})
}

// unitTimeShift is where a unit id has the second in which the unit was formed.
const unitTimeShift = 32

// UnitID makes an id of a unit formed at t out of 32 random bits.
func UnitID(t time.Time, random uint32) uint64 {
	return uint64(uint32(t.Unix()))<<unitTimeShift | uint64(random)
}

// UnitMinute is the minute in which a unit was formed.
func UnitMinute(unit uint64) int64 { return int64(unit>>unitTimeShift) / 60 }
