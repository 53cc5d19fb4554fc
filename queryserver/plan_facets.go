package queryserver

import (
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// facetLevels are the rollups of attributes.
var facetLevels = []level{{"facets", "hour", time.Hour}}

// facetsQuestion asks for the most frequent values of fields.
type facetsQuestion struct {
	project string
	kind    record.Kind
	filter  *filter.Expr
	window  window
	fields  []field
	prefix  string
	limit   int
}

// maxDistinct is how many values of all fields together are told apart.
const maxDistinct = 2_000_000

// All three statements give rows of field number, value, count, weight, the strata of
// a sample with a count in each, distinct values and total count of the field.

// planFacetCounts counts dimensions of the rollups.
func planFacetCounts(q facetsQuestion) clickhouse.Query {
	p := newParams(q.project)
	values := make([]string, len(q.fields))
	for i, f := range q.fields {
		values[i] = f.sql(q.kind, p)
	}
	return q.query("facets_counts", p, map[string]any{
		"Values": values, "Segments": matchingSegments(cut(q.window, countLevels, current), q.filter, p),
	})
}

// planFacetAttributes counts attributes from the rollup of their capped values,
// which knows no other dimension.
func planFacetAttributes(q facetsQuestion) clickhouse.Query {
	p := newParams(q.project)
	keys := make([]string, len(q.fields))
	for i, f := range q.fields {
		keys[i] = p.text(f.key)
	}
	return q.query("facets_attributes", p, map[string]any{
		"Keys": strings.Join(keys, ", "), "Segments": bindSegments(cut(q.window, facetLevels, current), nil, p),
	})
}

// planFacetRows counts any fields from rows.
func planFacetRows(q facetsQuestion, s sample) clickhouse.Query {
	p := newParams(q.project)
	values := make([]string, len(q.fields))
	for i, f := range q.fields {
		value, present := f.entry(q.kind, p)
		if values[i] = value; present != sqlTrue {
			// A value that is there is marked, to tell an empty one from none.
			values[i] = "if(" + present + ", concat('=', " + value + "), '')"
		}
	}
	marked := make([]bool, len(q.fields))
	for i, f := range q.fields {
		marked[i] = f.key != ""
	}
	out := q.query("facets_rows", p, map[string]any{
		"Values": values, "Marked": marked, "Table": table(q.kind), "Stratum": s.stratumSQL(p), "Sampled": s.slices > 0,
		"Where": s.where(p) + matching(q.filter, q.kind, q.window, p),
	})
	out.Settings["max_rows_to_group_by"], out.Settings["group_by_overflow_mode"] = strconv.Itoa(maxDistinct), "throw"
	return out
}

func (q facetsQuestion) query(name string, p *params, data map[string]any) clickhouse.Query {
	data["Limit"], data["Prefix"] = q.limit+1, ""
	if q.prefix != "" {
		data["Prefix"] = "\n    AND startsWith(v, " + p.text(q.prefix) + ")"
	}
	return clickhouse.Query{Name: name, SQL: render(name, data), Params: p.values, Settings: cloneSettings(figureSettings)}
}
