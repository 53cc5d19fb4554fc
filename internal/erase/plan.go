package erase

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/schema"
)

// Options say how far the erasure goes.
type Options struct {
	Schema schema.Options
	// Mentions erases rows that have the value in any text too, also those that do
	// not carry the key.
	Mentions bool
}

// Deletion is what is deleted from one table.
type Deletion struct {
	Table string
	Rows  uint64
	// Statements delete the rows, in order.
	Statements []string
	// Ledger takes the rows out of the delivery ledger, which would miss them
	// otherwise; "" where nothing counts them.
	Ledger string
}

// Plan counts what each table holds of a person, and gives the statements that
// delete it, in an order that can be interrupted: a record goes when all that
// refers to it is gone.
func Plan(ctx context.Context, query Query, s Subject, o Options) ([]Deletion, error) {
	found, err := tables(ctx, query, o.Schema)
	if err != nil {
		return nil, err
	}
	database := o.Schema.LocalDatabase()
	var out []Deletion
	for _, t := range found {
		condition := t.condition(s, o, database, found)
		if condition == "" {
			continue
		}
		answer, err := query(ctx, fmt.Sprintf("SELECT count() FROM %s.%s WHERE %s SETTINGS log_queries = 0", database, t.name, condition))
		if err != nil {
			return nil, fmt.Errorf("counting rows of %s: %w", t.name, err)
		}
		rows, err := strconv.ParseUint(strings.TrimSpace(answer), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("counting rows of %s: %w", t.name, err)
		}
		out = append(out, Deletion{Table: t.name, Rows: rows, Statements: t.statements(o.Schema, condition), Ledger: t.uncount(s, o, database, condition)})
	}
	return out, nil
}

// ledgerColumns are the columns of the delivery ledger that count the rows of each
// table.
var ledgerColumns = map[string]string{"requests": "request_rows", "spans": "span_rows", "events": "event_rows"}

// uncount gives the statement that counts the rows of a table that are erased, with
// the sign turned, in the minutes in which they are counted. It has a generation of
// its own for each table and condition, so that repeating it after an interruption
// replaces what it wrote, and erasing mentions later adds to it.
func (t table) uncount(s Subject, o Options, database, condition string) string {
	column := ledgerColumns[t.name]
	if column == "" || o.Schema.Cluster != "" {
		return ""
	}
	return fmt.Sprintf("INSERT INTO %[1]s.delivery_ledger (project, minute, source, generation, version, %[2]s) "+
		"SELECT project, toDateTime(intDiv(bitShiftRight(unit, 32), 60) * 60, 'UTC') AS minute, 0, sipHash64(%[3]s, %[4]s), toUnixTimestamp64Nano(now64(9)), -toInt64(count()) "+
		"FROM %[1]s.%[5]s WHERE %[6]s GROUP BY project, minute SETTINGS log_queries = 0",
		database, column, clickhouse.String(t.name), clickhouse.String(condition), t.name, condition)
}

// condition selects the rows of a table that have to go.
func (t table) condition(s Subject, o Options, database string, all []table) string {
	own := t.own(s, o)
	if t.has("project", "ts", "rid") && !t.records() {
		// The rows of an erased record under its other keys.
		for _, r := range all {
			if r.records() {
				own = append(own, fmt.Sprintf("(project, ts, rid) IN (SELECT project, ts, rid FROM %s.%s WHERE %s)",
					database, r.name, scoped(r, s, strings.Join(r.own(s, o), " OR "))))
			}
		}
	}
	if len(own) == 0 {
		return ""
	}
	return scoped(t, s, strings.Join(own, " OR "))
}

func (t table) own(s Subject, o Options) []string {
	var or []string
	if c := t.carries(s); c != "" {
		or = append(or, c)
	}
	if c := t.mentions(s); c != "" && o.Mentions {
		or = append(or, c)
	}
	return or
}

// scoped narrows a condition to the project, where the table has one.
func scoped(t table, s Subject, condition string) string {
	if s.Project == "" || !t.has("project") {
		return condition
	}
	return fmt.Sprintf("project = %s AND (%s)", clickhouse.String(s.Project), condition)
}

// Apply deletes what Plan found. Each deletion is done when its statement returns:
// parts are rewritten, not only marked. Done, which may be nil, is told of each.
func Apply(ctx context.Context, query Query, plan []Deletion, done func(Deletion)) error {
	for _, d := range plan {
		if d.Rows == 0 {
			continue
		}
		if d.Ledger != "" {
			if _, err := query(ctx, d.Ledger); err != nil {
				return fmt.Errorf("taking what is erased from %s out of the delivery ledger: %w", d.Table, err)
			}
		}
		for _, sql := range d.Statements {
			if _, err := query(ctx, sql); err != nil {
				return fmt.Errorf("erasing from %s: %w", d.Table, err)
			}
		}
		if done != nil {
			done(d)
		}
	}
	return nil
}
