package queryserver

import (
	"math"
	"strconv"
	"strings"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

// params collects the bound parameters of one statement.
type params struct{ values map[string]string }

func newParams(project string) *params {
	return &params{values: map[string]string{"project": project}}
}

// bind adds a value and gives its placeholder, {p3:Type}.
func (p *params) bind(value, chType string) string {
	name := "p" + strconv.Itoa(len(p.values)-1) // project is not counted
	p.values[name] = value
	return "{" + name + ":" + chType + "}"
}

func (p *params) text(v string) string  { return p.bind(v, "String") }
func (p *params) uint(v uint64) string  { return p.bind(strconv.FormatUint(v, 10), "UInt64") }
func (p *params) number(v int64) string { return p.bind(strconv.FormatInt(v, 10), "Int64") }
func (p *params) nanos(ns int64) string {
	return "fromUnixTimestamp64Nano(" + p.number(ns) + ", 'UTC')"
}
func (p *params) seconds(s int64) string { return "toDateTime(" + p.number(s) + ", 'UTC')" }

// double binds a float by its bits: text would leave the last digit to the
// parser of the store.
func (p *params) double(f float64) string {
	return "reinterpretAsFloat64(" + p.uint(math.Float64bits(f)) + ")"
}

// compileWhere turns conditions on records of one kind into SQL, each preceded
// by AND. It says the same as filter.Match.
func compileWhere(conditions []filter.Node, kind record.Kind, p *params) string {
	var b strings.Builder
	for _, n := range conditions {
		b.WriteString("\n  AND ")
		b.WriteString(compileNode(n, kind, p))
	}
	return b.String()
}

const (
	sqlTrue  = "1"
	sqlFalse = "0"
)

// compileNode turns a part of a filter into an expression that is 0 or 1, never
// NULL, so that NOT is the complement.
func compileNode(n filter.Node, kind record.Kind, p *params) string {
	switch n := n.(type) {
	case *filter.And:
		return compileTerms(n.Terms, " AND ", sqlTrue, sqlFalse, kind, p)
	case *filter.Or:
		return compileTerms(n.Terms, " OR ", sqlFalse, sqlTrue, kind, p)
	case *filter.Not:
		switch sql := compileNode(n.Term, kind, p); sql {
		case sqlTrue:
			return sqlFalse
		case sqlFalse:
			return sqlTrue
		default:
			return "NOT (" + sql + ")"
		}
	case *filter.FreeText:
		return compileFreeText(n, kind, p)
	}
	return compileLeaf(n, filter.FieldOf(n), kind, p)
}

// compileTerms joins terms, of which a neutral one is left out and a deciding one
// is the answer.
func compileTerms(terms []filter.Node, operator, neutral, deciding string, kind record.Kind, p *params) string {
	var sql []string
	for _, t := range terms {
		switch s := compileNode(t, kind, p); s {
		case neutral:
		case deciding:
			return deciding
		default:
			sql = append(sql, s)
		}
	}
	switch len(sql) {
	case 0:
		return neutral
	case 1:
		return sql[0]
	}
	return "(" + strings.Join(sql, operator) + ")"
}

// compileLeaf compiles a comparison of a field.
func compileLeaf(n filter.Node, f *filter.Field, kind record.Kind, p *params) string {
	switch {
	case !f.Column.In(kind):
		return sqlFalse
	case f.Column.Name == "type":
		// A table has one type.
		return constant(filter.Match(n, &record.Record{Kind: kind}))
	case f.Column.Type == filter.Map:
		return compileOfMap(n, f, kind, p)
	}
	source := f.Column.Source
	switch n := n.(type) {
	case *filter.Compare:
		switch n.Op {
		case filter.Always:
			return sqlTrue
		case filter.Never:
			return sqlFalse
		}
		return source + " " + n.Op.String() + " " + literalSQL(f.Column, &n.Value, p)
	case *filter.In:
		literals := make([]string, len(n.Values))
		for i := range n.Values {
			literals[i] = literalSQL(f.Column, &n.Values[i], p)
		}
		return source + notIn(n.Not) + "(" + strings.Join(literals, ", ") + ")"
	case *filter.Pattern:
		return negate(compileMatcher(n.Matcher, source, p), n.Not)
	case *filter.Exists:
		return compileGiven(f.Column)
	}
	return sqlFalse
}

func constant(b bool) string {
	if b {
		return sqlTrue
	}
	return sqlFalse
}

func negate(sql string, not bool) string {
	if not {
		return "NOT (" + sql + ")"
	}
	return sql
}

func notIn(not bool) string {
	if not {
		return " NOT IN "
	}
	return " IN "
}

// literalSQL is a literal of a column that is no map.
func literalSQL(c *filter.Column, v *filter.Value, p *params) string {
	switch c.Type {
	case filter.Uint:
		return p.uint(v.Uint)
	case filter.Time:
		return p.nanos(v.Nano)
	case filter.HexID:
		if c.Name == "error_group" {
			return p.uint(v.Uint)
		}
		return "toFixedString(unhex(" + p.text(v.Text) + "), " + strconv.Itoa(len(v.Text)/2) + ")"
	}
	return p.text(v.Text)
}

// compileGiven says whether a column that is no map was given: neither empty nor
// zero.
func compileGiven(c *filter.Column) string {
	switch {
	case c.Type == filter.Time:
		return sqlTrue
	case c.Type == filter.Uint || c.Name == "error_group":
		return c.Source + " != 0"
	}
	return "notEmpty(" + c.Source + ")"
}
