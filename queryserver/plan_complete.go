package queryserver

import (
	"strconv"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// completeQuestion asks for values, or for keys of maps, that start with a prefix.
// Its statements read rollups and indexes, or a bounded number of the newest rows;
// all give rows of a text and a count.
type completeQuestion struct {
	project string
	kind    record.Kind
	window  window
	prefix  string
	limit   int
}

const (
	// completeRows is how many of the newest rows are looked at for what no rollup
	// counts.
	completeRows = 10_000
	// completeScan bounds the rows of the journey that are counted: the values of a
	// busy key are many.
	completeScan = 5_000_000
	// maxCompleteSpan is how much of a window is looked at, its newest part.
	maxCompleteSpan = 7 * 24 * time.Hour
)

// newCompleteQuestion takes whole hours, as the rollups have them.
func newCompleteQuestion(project string, kind record.Kind, w window) completeQuestion {
	w.From, w.To = floor(w.From, time.Hour), ceil(w.To, time.Hour)
	if w.Span() > maxCompleteSpan {
		w.From = w.To.Add(-maxCompleteSpan)
	}
	return completeQuestion{project: project, kind: kind, window: w, limit: maxCompletions}
}

func (q completeQuestion) data(p *params) map[string]any {
	return map[string]any{
		"From": p.nanos(q.window.From.UnixNano()), "To": p.nanos(q.window.To.UnixNano()),
		"Limit": q.limit,
	}
}

// onHours is data for tables whose time is an hour.
func (q completeQuestion) onHours(p *params) map[string]any {
	return map[string]any{
		"From": p.seconds(q.window.From.Unix()), "To": p.seconds(q.window.To.Unix()),
		"Limit": q.limit, "Prefix": p.text(q.prefix),
	}
}

// onRows is data for tables of records.
func (q completeQuestion) onRows(p *params) map[string]any {
	data := q.data(p)
	data["Prefix"], data["Rows"], data["Table"] = p.text(q.prefix), completeRows, table(q.kind)
	return data
}

func completeQuery(name string, p *params, data map[string]any) clickhouse.Query {
	return clickhouse.Query{Name: name, SQL: render(name, data), Params: p.values}
}

// planCompleteCounts gives values of a dimension of the rollups of counts.
func planCompleteCounts(q completeQuestion, c *filter.Column) clickhouse.Query {
	p := newParams(q.project)
	data := q.onHours(p)
	data["Column"] = c.Source
	return completeQuery("complete_counts", p, data)
}

// planCompleteFacets gives values of a bounded attribute.
func planCompleteFacets(q completeQuestion, key string) clickhouse.Query {
	p := newParams(q.project)
	data := q.onHours(p)
	data["Key"] = p.text(key)
	return completeQuery("complete_facets", p, data)
}

// planCompleteFacetKeys gives names of bounded attributes.
func planCompleteFacetKeys(q completeQuestion) clickhouse.Query {
	p := newParams(q.project)
	return completeQuery("complete_facet_keys", p, q.onHours(p))
}

// planCompleteJourney gives values of a correlation key in their order, since the
// most frequent ones are not known without reading all.
func planCompleteJourney(q completeQuestion, key string) clickhouse.Query {
	p := newParams(q.project)
	data := q.data(p)
	data["Key"], data["Range"] = p.text(key), ""
	if q.prefix != "" {
		sql := "\n  AND value >= " + p.text(q.prefix)
		if end := afterPrefix(q.prefix); end != "" {
			sql += " AND value < " + p.text(end)
		}
		data["Range"] = sql
	}
	out := completeQuery("complete_journey", p, data)
	out.Settings = map[string]string{
		"optimize_aggregation_in_order": "1",
		"max_rows_to_read":              strconv.Itoa(completeScan),
		"read_overflow_mode":            "break",
	}
	return out
}

// afterPrefix is the least text after all that start with the prefix; empty when
// there is none.
func afterPrefix(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return string(b[:i+1])
		}
	}
	return ""
}

// planCompleteJourneyKey gives the first correlation key at or after a name: the
// keys are few, so one after the other is found by the primary key alone.
func planCompleteJourneyKey(q completeQuestion, name string, inclusive bool) clickhouse.Query {
	p := newParams(q.project)
	data := q.data(p)
	data["After"] = "> " + p.text(name)
	if inclusive {
		data["After"] = ">= " + p.text(name)
	}
	return completeQuery("complete_journey_key", p, data)
}

// planCompleteRows gives values of a field in the newest rows.
func planCompleteRows(q completeQuestion, f *filter.Field) clickhouse.Query {
	p := newParams(q.project)
	data := q.onRows(p)
	data["Value"] = "toString(" + f.Column.Source + ")"
	if f.Column.Type == filter.Map {
		data["Value"] = entryAt(f.Column, f.Key, p.text(f.Key), q.kind).value
	}
	return completeQuery("complete_rows", p, data)
}

// planCompleteRowKeys gives the keys of a map in the newest rows.
func planCompleteRowKeys(q completeQuestion, c *filter.Column) clickhouse.Query {
	p := newParams(q.project)
	data := q.onRows(p)
	data["Map"] = c.Source
	return completeQuery("complete_row_keys", p, data)
}
