package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trackwayhq/trackway/internal/clickhouse"
)

// Options of a check.
type Options struct {
	Store    *clickhouse.Client
	Database string
	// Data is the data directory, for its collector and its dead letters; "" where
	// the collector runs elsewhere.
	Data string
	// Exporter is the exporter's id in the collector's configuration.
	Exporter string
	// From and To bound the times of the rows whose rollups and journeys are
	// compared; they are widened to whole hours.
	From, To time.Time
	// Sample is how many further hours are compared, chosen at random.
	Sample int
	// Repair mends what is derived from rows.
	Repair bool
	// WriteOff notes in the ledger that what is missing is lost.
	WriteOff bool
	// Settle is how long what differs is looked at again, because units are stored
	// table by table.
	Settle time.Duration
}

// Finding is something that does not add up.
type Finding struct {
	// Check is "ledger", "pending", "dead_letters", "rows" or "derived".
	Check   string `json:"check"`
	Project string `json:"project,omitempty"`
	Table   string `json:"table,omitempty"`
	// Minute or hour, UTC.
	Time string `json:"time,omitempty"`
	Text string `json:"text"`
	// Repaired says that it was mended, or written off.
	Repaired bool `json:"repaired,omitempty"`

	// lost is how much is missing of a column of the ledger.
	lost   int64
	column string
}

// Report is what a check found.
type Report struct {
	// Equation is the sums by project.
	Equation []Sums `json:"equation"`
	// Collector says whether one was asked; if not, its last counts may be missing.
	Collector bool `json:"collector"`
	// Minutes whose rows were counted, and hours whose rollups were compared.
	Minutes  int       `json:"minutes"`
	Hours    int       `json:"hours"`
	Findings []Finding `json:"findings"`
	Notes    []string  `json:"notes,omitempty"`
}

// OK says whether everything adds up, or does now.
func (r *Report) OK() bool {
	for _, f := range r.Findings {
		if !f.Repaired {
			return false
		}
	}
	return true
}

// ErrMismatch means that something does not add up.
var ErrMismatch = errors.New("something does not add up: see the findings")

// Exception codes of a store without the tables.
const (
	unknownTable    = 60
	unknownDatabase = 81
)

// pause is how long is waited before something that differs is looked at again.
const pause = 500 * time.Millisecond

// Check compares everything. Its error is about not being able to; what does not
// add up is in the report.
func Check(ctx context.Context, o Options) (*Report, error) {
	r := &Report{Findings: []Finding{}}
	c := &checker{Options: o, report: r, deadline: time.Now().Add(o.Settle)}
	if err := c.askCollector(ctx); err != nil {
		return nil, err
	}
	for _, check := range []func(context.Context) ([]Finding, error){c.rows, c.derived, c.pending, c.deadLetters, c.equation} {
		findings, err := c.settled(ctx, check)
		if err == nil && o.WriteOff {
			err = c.writeOff(ctx, findings)
		}
		if code := clickhouse.Code(err); code == unknownTable || code == unknownDatabase {
			c.note("The store has no tables of this release: nothing was stored yet, or it must be migrated (trackway migrate plan).")
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		r.Findings = append(r.Findings, findings...)
	}
	return r, nil
}

type checker struct {
	Options
	report   *Report
	deadline time.Time
	doubtful []Doubt
}

// settled repeats a check that finds something until it does not, or time is up:
// what is on its way differs for a moment.
func (c *checker) settled(ctx context.Context, check func(context.Context) ([]Finding, error)) ([]Finding, error) {
	for {
		findings, err := check(ctx)
		if err != nil || len(findings) == 0 || allRepaired(findings) || time.Now().After(c.deadline) {
			return findings, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if err := c.flush(ctx); err != nil {
			return nil, err
		}
	}
}

func allRepaired(findings []Finding) bool {
	for _, f := range findings {
		if !f.Repaired {
			return false
		}
	}
	return true
}

func (c *checker) note(format string, args ...any) {
	c.report.Notes = append(c.report.Notes, fmt.Sprintf(format, args...))
}
