package query

import (
	"fmt"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"

	"github.com/trackwayhq/trackway/cmd/internal/bench/reference"
)

// verify makes the whole set again and counts what each question must find, by the
// filter language's predicate: no store has a part in it.
func verify(records *reference.Records, asks []*Ask) error {
	type open struct {
		*Ask
		match *filter.Expr
		found int64
	}
	var list []*open
	for _, a := range asks {
		if a.Want != unknown {
			continue
		}
		o := &open{Ask: a}
		switch a.Shape {
		case rowsShape, histogramShape, groupsShape, facetsShape, overviewShape:
			var err error
			if o.match, err = filter.Parse(a.Filter); err != nil {
				return fmt.Errorf("filter %q: %w", a.Filter, err)
			}
		case journeyShape:
		default:
			continue
		}
		list = append(list, o)
	}
	records.Each(func(r *record.Record) bool {
		for _, o := range list {
			if r.Project != o.Project || r.Time.Before(o.From) || !r.Time.Before(o.To) {
				continue
			}
			if o.match != nil {
				if r.Kind == record.Request && o.match.Match(r) {
					o.found++
				}
			} else if value, ok := r.Correlation.Get(o.Key); ok && value == o.Value {
				o.found++
			}
		}
		return true
	})
	for _, o := range list {
		o.Want = o.found
		switch o.Shape {
		case rowsShape:
			o.Want = min(o.found, pageRows)
		case journeyShape:
			o.Want = min(o.found, journeyRows)
		}
	}
	return nil
}
