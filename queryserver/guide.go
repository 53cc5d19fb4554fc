package queryserver

import (
	"context"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// asker runs a statement that reads records.
type asker func(context.Context, clickhouse.Query, func(*clickhouse.Reader)) error

// read reads a page and one record more where there is one: the nearest hour
// first, and then, where a guide knows where to look, only there.
func (q rowsQuestion) read(ctx context.Context, ask asker) ([]record.Record, error) {
	var found []record.Record
	read := func(statement clickhouse.Query) error {
		return ask(ctx, statement, func(r *clickhouse.Reader) { found = append(found, q.columns.scan(r, q.project)) })
	}
	statements := planRows(q)
	guides := guidesFor(filter.Conjuncts(q.filter), q.columns.kind)
	if len(statements) == 1 || len(guides) == 0 {
		for _, statement := range statements {
			if err := read(statement); err != nil || len(found) > q.limit {
				return found, err
			}
		}
		return found, nil
	}
	missing := func() int { return q.limit + 1 - len(found) }
	if err := read(statements[0]); err != nil {
		return found, err
	}
	for _, s := range q.stretches(q.beyondFirst()) {
		if missing() <= 0 {
			break
		}
		var err error
		if s.guided {
			err = q.readGuided(ctx, s.window, guides, missing, read, ask)
		} else {
			err = read(planRowsIn(q, s.window))
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// refineBelow is how many matches an hour may hold for its minutes to be asked
// for: with more, most minutes have some.
const refineBelow = 600

// readGuided reads that of a window where guides say that something matches. What
// they say is an upper bound, so each round reads more than the one before.
func (q rowsQuestion) readGuided(ctx context.Context, rest window, guides []guide, missing func() int, read func(clickhouse.Query) error, ask asker) error {
	whole := window{floor(rest.From, time.Hour), ceil(rest.To, time.Hour)}
	hours, err := q.steps(ctx, guides, time.Hour, []window{whole}, ask)
	if err != nil {
		return err
	}
	for factor := uint64(1); len(hours) > 0 && missing() > 0; factor *= 8 {
		var batch []stepCount
		var total uint64
		batch, hours, total = takeSteps(hours, uint64(missing())*factor)
		step := time.Hour
		if total < refineBelow*uint64(len(batch)) {
			step = time.Minute
			if batch, err = q.steps(ctx, guides, step, rangesIn(whole, batch, time.Hour), ask); err != nil {
				return err
			}
		}
		if ranges := rangesIn(rest, batch, step); len(ranges) > 0 {
			if err := read(planRowsAt(q, ranges)); err != nil {
				return err
			}
		}
	}
	return nil
}

// steps asks every guide, and leaves what all of them have.
func (q rowsQuestion) steps(ctx context.Context, guides []guide, step time.Duration, ranges []window, ask asker) ([]stepCount, error) {
	said := make([]map[int64]uint64, len(guides))
	for i, g := range guides {
		l := g.hour
		if step == time.Minute {
			l = g.minute
		}
		said[i] = map[int64]uint64{}
		err := ask(ctx, planGuide(q.project, g, l, ranges), func(r *clickhouse.Reader) { said[i][r.Int64()] += r.Uint64() })
		if err != nil {
			return nil, err
		}
		if len(said[i]) == 0 {
			return nil, nil
		}
	}
	return inAll(said, q.ascending), nil
}
