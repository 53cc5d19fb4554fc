package queryserver

import (
	"context"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// journeyRows is how many rows of the journey are read for the values of a
// correlation key; of more, records are sampled. The journey is sorted by key and
// value, so a prefix is a range of it, in which rare values are not missed.
const journeyRows = 2_000_000

// inJourney says whether the journey alone can count a field.
func (q facetsQuestion) inJourney(f field) bool {
	return f.column != nil && f.column.Name == "correlation" && readsOnly(q.filter, nil)
}

// planFacetJourney counts the values of one correlation key; planFacetJourneyScan
// asks how many rows that would read.
func planFacetJourney(q facetsQuestion) clickhouse.Query {
	return planJourneyFacet("facets_journey", q)
}
func planFacetJourneyScan(q facetsQuestion) clickhouse.Query {
	return planJourneyFacet("scan_journey", q)
}

func planJourneyFacet(name string, q facetsQuestion) clickhouse.Query {
	p := newParams(q.project)
	where := "\n    AND key = " + p.text(q.fields[0].key) + "\n    AND kind = '" + q.kind.String() + "'" +
		"\n    AND ts >= " + p.nanos(q.window.From.UnixNano()) + " AND ts < " + p.nanos(q.window.To.UnixNano())
	if q.prefix != "" {
		where += "\n    AND startsWith(value, " + p.text(q.prefix) + ")"
	}
	return clickhouse.Query{Name: name, SQL: render(name, map[string]any{"Where": where, "Limit": q.limit + 1}), Params: p.values}
}

// fillFromJourney counts the fields that the journey has few enough rows of, and
// gives the others.
func (a *api) fillFromJourney(ctx context.Context, out *valueCounts, q facetsQuestion, fields []int) ([]int, error) {
	var rest []int
	for _, i := range fields {
		one := q
		one.fields = q.fields[i : i+1]
		if !q.inJourney(q.fields[i]) {
			rest = append(rest, i)
			continue
		}
		var rows uint64
		if _, err := a.ask(ctx, planFacetJourneyScan(one), func(r *clickhouse.Reader) { rows += readEstimate(r, "journey") }); err != nil {
			return nil, err
		}
		if rows > journeyRows {
			rest = append(rest, i)
			continue
		}
		if err := a.fill(ctx, out, q, []int{i}, "journey", sample{fraction: 1}, planFacetJourney); err != nil {
			return nil, err
		}
	}
	return rest, nil
}
