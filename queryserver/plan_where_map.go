package queryserver

import (
	"strings"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

// entry is the SQL of one key of a map: its value, which is empty where the key is
// not there, and whether it is there.
type entry struct {
	column         *filter.Column
	value, present string
	promoted       bool // a column holds it where the map does not
}

var (
	correlationColumn = filter.ColumnNamed("correlation")
	attributesColumn  = filter.ColumnNamed("attributes")
)

// compileOfMap compiles a comparison of a key of a map. A bare name is of the
// correlation keys where they have it, of the attributes otherwise.
func compileOfMap(n filter.Node, f *filter.Field, kind record.Kind, p *params) string {
	key := p.text(f.Key)
	if !f.Bare() {
		return compileEntry(n, entryAt(f.Column, f.Key, key, kind), p)
	}
	of, or := entryAt(correlationColumn, f.Key, key, kind), entryAt(attributesColumn, f.Key, key, kind)
	or.column = filter.AnyKey // by which values compare
	return "if(" + of.present + ", " + compileEntry(n, of, p) + ", " + compileEntry(n, or, p) + ")"
}

// entryOf is the entry that a comparison of a map reads.
func entryOf(c *filter.Compare, kind record.Kind, p *params) entry {
	return entryAt(c.Column, c.Key, p.text(c.Key), kind)
}

// entryAt is the entry of a key, which is bound already.
func entryAt(c *filter.Column, name, key string, kind record.Kind) entry {
	stored := entry{
		column:  c,
		value:   c.Source + "[" + key + "]",
		present: "mapContains(" + c.Source + ", " + key + ")",
	}
	held := promotion(c, name, kind)
	if held == nil {
		return stored
	}
	return entry{
		column:   c,
		value:    "if(" + stored.present + ", " + stored.value + ", toString(" + held.Column + "))",
		present:  "(" + stored.present + " OR (" + heldInColumn(held, kind) + "))",
		promoted: true,
	}
}

// promotion is the column that holds an attribute where the map does not; nil when
// there is none.
func promotion(c *filter.Column, key string, kind record.Kind) *record.Promotion {
	var p *record.Promotion
	switch c.Name {
	case "attributes":
		p = record.PromotedAttribute(kind, key)
	case "resource":
		p = record.PromotedResource(key)
	}
	if p == nil || p.Attribute != key {
		return nil
	}
	return p
}

// heldInColumn says in SQL what record.Promotion.Value says of a record: that the
// column has a value, and has it from the sender. Names come from the table of
// promotions, never from a question.
func heldInColumn(p *record.Promotion, kind record.Kind) string {
	empty := "''"
	if p.Number {
		empty = "0"
	}
	sql := p.Column + " != " + empty
	if p.HTTPOnly && kind == record.Request {
		sql += " AND kind = 'http'"
	}
	for _, key := range p.UnlessHas {
		sql += " AND NOT mapContains(attributes, '" + key + "')"
	}
	for _, key := range p.UnlessEqual {
		sql += " AND " + p.Column + " != attributes['" + key + "']"
	}
	if p.UnlessMark != "" {
		sql += " AND NOT has(splitByChar(',', toString(marks)), '" + p.UnlessMark + "')"
	}
	return sql
}

// compileEntry compiles a comparison of an entry. A missing key reads as empty in
// SQL and is absent in the language, so every form that it could satisfy asks for
// the key.
func compileEntry(n filter.Node, e entry, p *params) string {
	switch n := n.(type) {
	case *filter.Compare:
		return compileMap(n.Op, &n.Value, e, p)
	case *filter.In:
		return compileMapIn(n, e, p)
	case *filter.Pattern:
		return "(" + e.present + " AND " + negate(compileMatcher(n.Matcher, e.value, p), n.Not) + ")"
	case *filter.Exists:
		return e.present
	}
	return sqlFalse
}

func compileMap(operator filter.Op, v *filter.Value, e entry, p *params) string {
	switch operator {
	case filter.Always:
		return e.present
	case filter.Never:
		return sqlFalse
	}
	op := " " + operator.String() + " "
	if !v.Numeric(e.column, operator) {
		equal := e.value + op + p.text(v.Text)
		if operator == filter.Eq && v.Text != "" && !e.promoted {
			return equal // the index on the map can serve it
		}
		return "(" + e.present + " AND " + equal + ")"
	}
	compared := numberOf(e.value) + op + p.double(v.Float)
	switch {
	case !v.Bare:
		return "(" + e.present + " AND ifNull(" + compared + ", " + e.value + op + p.text(v.Text) + "))"
	case operator == filter.Ne:
		return "(" + e.present + " AND ifNull(" + compared + ", 1))"
	case !e.promoted:
		return "ifNull(" + compared + ", 0)"
	}
	return "(" + e.present + " AND ifNull(" + compared + ", 0))"
}

// compileMapIn compares an entry with a list, of which some values may be numbers.
func compileMapIn(n *filter.In, e entry, p *params) string {
	var texts, numbers []string
	empty := false
	for i := range n.Values {
		v := &n.Values[i]
		if v.Numeric(e.column, filter.Eq) {
			numbers = append(numbers, p.double(v.Float+0))
			continue
		}
		texts = append(texts, p.text(v.Text))
		empty = empty || v.Text == ""
	}
	var alternatives []string
	if len(texts) > 0 {
		alternatives = append(alternatives, e.value+" IN ("+strings.Join(texts, ", ")+")")
	}
	if len(numbers) > 0 {
		// Zero is added because IN tells -0 from 0.
		alternatives = append(alternatives, "ifNull("+numberOf(e.value)+" + 0. IN ("+strings.Join(numbers, ", ")+"), 0)")
	}
	sql := strings.Join(alternatives, " OR ")
	if len(alternatives) > 1 {
		sql = "(" + sql + ")"
	}
	if !n.Not && !empty && !e.promoted {
		return sql
	}
	return "(" + e.present + " AND " + negate(sql, n.Not) + ")"
}

// numberOf is the number that a text is, NULL when it is none by the language's
// grammar or no double can hold it.
func numberOf(value string) string {
	// toFloat64OrNull refuses a leading plus sign, which the language allows.
	f := "toFloat64OrNull(trimLeft(" + value + ", '+'))"
	return "if(match(" + value + ", '" + strings.ReplaceAll(filter.NumberPattern, `\`, `\\`) + "') AND isFinite(assumeNotNull(" + f + ")), " + f + ", NULL)"
}
