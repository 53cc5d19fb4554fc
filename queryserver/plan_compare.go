package queryserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// compareQuestion asks what sets a selection apart from the rest of a population.
type compareQuestion struct {
	project string
	kind    record.Kind
	filter  *filter.Expr // of the population
	window  window       // of the population

	// The selection: what lies in selected, has a duration in [min, max) ns, and
	// satisfies selection. A max of 0 is no bound.
	selected  window
	min, max  uint64
	selection *filter.Expr
}

// comparedColumns are looked at beside attributes and correlation keys.
var comparedColumns = map[record.Kind][]string{
	record.Request: {"service", "env", "release", "instance", "kind", "method", "route", "status", "span_status", "error_type", "user_agent", "client_ip", "scope_name"},
	record.Span:    {"service", "env", "release", "instance", "kind", "name", "status", "span_status", "error_type", "scope_name"},
	record.Event:   {"service", "env", "release", "instance", "name", "severity", "error_type", "scope_name"},
}

// maxCandidates bounds the values of the selection that are looked for outside of
// it, the most frequent.
const maxCandidates = 500

// side is one of the two sets of records.
type side struct {
	outside bool
	window  window
}

func (q compareQuestion) inside() side { return side{window: q.selected} }
func (q compareQuestion) rest() side   { return side{window: q.window, outside: true} }

// inSelection is the SQL of the selection.
func (q compareQuestion) inSelection(p *params) string {
	terms := []string{"ts >= " + p.nanos(q.selected.From.UnixNano()), "ts < " + p.nanos(q.selected.To.UnixNano())}
	if q.min > 0 {
		terms = append(terms, "duration >= "+p.uint(q.min))
	}
	if q.max > 0 {
		terms = append(terms, "duration < "+p.uint(q.max))
	}
	if q.selection.Root != nil {
		terms = append(terms, condition(q.selection, q.kind, p))
	}
	return strings.Join(terms, " AND ")
}

// where is the SQL of a side.
func (q compareQuestion) where(s side, p *params) string {
	sql := matching(q.filter, q.kind, s.window, p)
	if s.outside {
		return sql + "\n  AND NOT (" + q.inSelection(p) + ")"
	}
	return sql + "\n  AND " + q.inSelection(p) + narrow(filter.Conjuncts(q.selection), q.kind, s.window, p)
}

// planCompareScan asks how many rows a side would read.
func planCompareScan(q compareQuestion, s side) clickhouse.Query {
	p := newParams(q.project)
	return q.query("scan", p, map[string]any{
		"Table": table(q.kind), "From": p.nanos(s.window.From.UnixNano()), "To": p.nanos(s.window.To.UnixNano()), "Where": q.where(s, p),
	})
}

// planCompareCount counts the records of a side in a sample.
func planCompareCount(q compareQuestion, s side, in sample) clickhouse.Query {
	p := newParams(q.project)
	return q.query("compare_count", p, map[string]any{"Table": table(q.kind), "Where": in.where(p) + q.where(s, p)})
}

// An item is a field and its value in one text, told apart by its first letter.
const (
	columnItem      = 'c' // name=value
	attributeItem   = 'a' // key=value; keys have no =
	correlationItem = 'k' // key\x01value
	totalItem       = "n" // every record has it
)

// planCompareItems gives rows of item and count: those with support, or only those
// among candidates.
func planCompareItems(q compareQuestion, s side, in sample, support uint64, candidates []string) clickhouse.Query {
	p := newParams(q.project)
	var columns []string
	for _, name := range comparedColumns[q.kind] {
		if !q.defines(name) {
			columns = append(columns, name)
		}
	}
	bound := make([]string, len(candidates))
	for i, c := range candidates {
		bound[i] = p.text(c)
	}
	return q.query("compare_items", p, map[string]any{
		"Table": table(q.kind), "Columns": columns, "Where": in.where(p) + q.where(s, p),
		"Candidates": strings.Join(bound, ", "), "Support": p.uint(support), "Limit": maxCandidates,
	})
}

// defines says whether the selection is made by a field, which then says nothing
// about it.
func (q compareQuestion) defines(name string) bool {
	return slices.ContainsFunc(leaves(q.selection), func(f *filter.Field) bool {
		switch {
		case f.Bare():
			return name == mapField("correlation", f.Key) || name == mapField("attributes", f.Key)
		case f.Column.Type == filter.Map:
			return name == mapField(f.Column.Name, f.Key)
		}
		return name == f.Column.Name
	})
}

// leaves are the fields that a filter compares.
func leaves(e *filter.Expr) []*filter.Field {
	var out []*filter.Field
	filter.Leaves(e.Root, func(n filter.Node) bool {
		if f := filter.FieldOf(n); f != nil {
			out = append(out, f)
		}
		return true
	})
	return out
}

// parseItem gives an item's field, as filters write it, and its value.
func parseItem(item string) (name, value string, err error) {
	if item == "" {
		return "", "", fmt.Errorf("an empty item")
	}
	separator := "="
	if item[0] == correlationItem {
		separator = "\x01"
	}
	key, value, ok := strings.Cut(item[1:], separator)
	if !ok {
		return "", "", fmt.Errorf("item %q has no %q", item, separator)
	}
	switch item[0] {
	case columnItem:
		return key, value, nil
	case attributeItem:
		return mapField("attributes", key), value, nil
	case correlationItem:
		return mapField("correlation", key), value, nil
	}
	return "", "", fmt.Errorf("item %q is of no known kind", item)
}

func (q compareQuestion) query(name string, p *params, data map[string]any) clickhouse.Query {
	return clickhouse.Query{Name: name, SQL: render(name, data), Params: p.values, Settings: cloneSettings(figureSettings)}
}
