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
// by AND. It says the same as filter.Expr.Match.
func compileWhere(conditions []filter.Node, kind record.Kind, p *params) string {
	var b strings.Builder
	for _, n := range conditions {
		b.WriteString("\n  AND ")
		b.WriteString(compileNode(n, kind, p))
	}
	return b.String()
}

// compileNode turns a part of a filter into an expression that is 0 or 1, never
// NULL.
func compileNode(n filter.Node, kind record.Kind, p *params) string {
	switch n := n.(type) {
	case *filter.And:
		return compileTerms(n.Terms, " AND ", kind, p)
	case *filter.Or:
		return compileTerms(n.Terms, " OR ", kind, p)
	case *filter.Not:
		return "NOT (" + compileNode(n.Term, kind, p) + ")"
	case *filter.Compare:
		return compileCondition(n, kind, p)
	}
	return sqlFalse
}

func compileTerms(terms []filter.Node, operator string, kind record.Kind, p *params) string {
	sql := make([]string, len(terms))
	for i, t := range terms {
		sql[i] = compileNode(t, kind, p)
	}
	return "(" + strings.Join(sql, operator) + ")"
}

const (
	sqlTrue  = "1"
	sqlFalse = "0"
)

func compileCondition(c *filter.Compare, kind record.Kind, p *params) string {
	switch {
	case !c.Column.In(kind) || c.Op == filter.Never:
		return sqlFalse
	case c.Op == filter.Always:
		return sqlTrue
	case c.Column.Name == "type":
		return compileType(c, kind)
	}
	source, op := c.Column.Source, " "+c.Op.String()+" "
	switch c.Column.Type {
	case filter.Text:
		return source + op + p.text(c.Value.Text)
	case filter.Uint:
		return source + op + p.uint(c.Value.Uint)
	case filter.Time:
		return source + op + p.nanos(c.Value.Nano)
	case filter.HexID:
		size := strconv.Itoa(len(c.Value.Text) / 2)
		return source + op + "toFixedString(unhex(" + p.text(c.Value.Text) + "), " + size + ")"
	case filter.Map:
		return compileMap(c, entryOf(c, kind, p), p)
	}
	return sqlFalse
}

// compileType settles a condition on the kind of record, which a table has one of.
func compileType(c *filter.Compare, kind record.Kind) string {
	expr := filter.Expr{Root: c}
	if expr.Match(&record.Record{Kind: kind}) {
		return sqlTrue
	}
	return sqlFalse
}

// entry is the SQL of one key of a map: its value, which is empty where the key is
// not there, and whether it is there.
type entry struct {
	value, present string
	promoted       bool // a column holds it where the map does not
}

func entryOf(c *filter.Compare, kind record.Kind, p *params) entry {
	key := p.text(c.Key)
	stored := entry{
		value:   c.Column.Source + "[" + key + "]",
		present: "mapContains(" + c.Column.Source + ", " + key + ")",
	}
	held := promotion(c, kind)
	if held == nil {
		return stored
	}
	return entry{
		value:    "if(" + stored.present + ", " + stored.value + ", toString(" + held.Column + "))",
		present:  "(" + stored.present + " OR (" + heldInColumn(held, kind) + "))",
		promoted: true,
	}
}

// promotion is the column that holds the attribute of a condition where the map
// does not; nil when there is none.
func promotion(c *filter.Compare, kind record.Kind) *record.Promotion {
	var p *record.Promotion
	switch c.Column.Name {
	case "attributes":
		p = record.PromotedAttribute(kind, c.Key)
	case "resource":
		p = record.PromotedResource(c.Key)
	}
	if p == nil || p.Attribute != c.Key {
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

// compileMap compares one key of a map. A missing key reads as empty in SQL and is
// absent in the language, so every form that it could satisfy asks for the key.
func compileMap(c *filter.Compare, e entry, p *params) string {
	value, present := e.value, e.present
	op := " " + c.Op.String() + " "
	if !c.Numeric() {
		equal := value + op + p.text(c.Value.Text)
		if c.Op == filter.Eq && c.Value.Text != "" && !e.promoted {
			return equal // the index on the map can serve it
		}
		return "(" + present + " AND " + equal + ")"
	}
	number := numberOf(value)
	compared := number + op + p.double(c.Value.Float)
	switch {
	case !c.Value.Bare:
		return "(" + present + " AND ifNull(" + compared + ", " + value + op + p.text(c.Value.Text) + "))"
	case c.Op == filter.Ne:
		return "(" + present + " AND ifNull(" + compared + ", 1))"
	}
	if !e.promoted {
		return "ifNull(" + compared + ", 0)"
	}
	return "(" + present + " AND ifNull(" + compared + ", 0))"
}

// numberOf is the number that a text is, NULL when it is none by the language's
// grammar or no double can hold it.
func numberOf(value string) string {
	// toFloat64OrNull refuses a leading plus sign, which the language allows.
	f := "toFloat64OrNull(trimLeft(" + value + ", '+'))"
	return "if(match(" + value + ", '" + strings.ReplaceAll(filter.NumberPattern, `\`, `\\`) + "') AND isFinite(assumeNotNull(" + f + ")), " + f + ", NULL)"
}
