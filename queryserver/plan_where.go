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
func compileWhere(conditions []*filter.Compare, kind record.Kind, p *params) string {
	var b strings.Builder
	for _, c := range conditions {
		b.WriteString("\n  AND ")
		b.WriteString(compileCondition(c, kind, p))
	}
	return b.String()
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
		return compileMap(c, p)
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

// compileMap compares one key of a map. A missing key reads as ” in SQL and is
// absent in the language, so every form that ” could satisfy asks for the key.
func compileMap(c *filter.Compare, p *params) string {
	key := p.text(c.Key)
	value := c.Column.Source + "[" + key + "]"
	present := "mapContains(" + c.Column.Source + ", " + key + ")"
	op := " " + c.Op.String() + " "
	if !c.Numeric() {
		equal := value + op + p.text(c.Value.Text)
		if c.Op == filter.Eq && c.Value.Text != "" {
			return equal
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
	return "ifNull(" + compared + ", 0)"
}

// numberOf is the number that a text is, NULL when it is none by the language's
// grammar or no double can hold it.
func numberOf(value string) string {
	// toFloat64OrNull refuses a leading plus sign, which the language allows.
	f := "toFloat64OrNull(trimLeft(" + value + ", '+'))"
	return "if(match(" + value + ", '" + strings.ReplaceAll(filter.NumberPattern, `\`, `\\`) + "') AND isFinite(assumeNotNull(" + f + ")), " + f + ", NULL)"
}
