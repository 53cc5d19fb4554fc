package filter

// Expr is a parsed filter.
type Expr struct {
	// Root is nil for the empty filter, which matches every record.
	Root Node
}

// Node is a part of a filter: *And or *Compare.
type Node interface {
	// Pos is the byte offset at which the node's text starts.
	Pos() int
}

// And is true when all of its terms are. It has at least two.
type And struct{ Terms []Node }

// Pos is where the first term starts.
func (a *And) Pos() int { return a.Terms[0].Pos() }

// Compare compares a column, or one key of a map column, with a literal. The
// literal is already in the column's unit: see Value.
type Compare struct {
	Column *Column
	// Key is the key inside a map column; empty for others.
	Key   string
	Op    Op
	Value Value

	pos int
}

// Pos is where the column's name starts.
func (c *Compare) Pos() int { return c.pos }

// Conditions gives the filter's terms when it is comparisons joined by AND; no
// terms for the empty filter.
func (e *Expr) Conditions() []*Compare {
	switch n := e.Root.(type) {
	case *Compare:
		return []*Compare{n}
	case *And:
		out := make([]*Compare, 0, len(n.Terms))
		for _, t := range n.Terms {
			if c, ok := t.(*Compare); ok {
				out = append(out, c)
			}
		}
		return out
	}
	return nil
}

// Op is a comparison operator.
type Op uint8

// The operators of the language, and two that only the parser makes, for a
// literal that lies outside what an integer column can hold: status > -1 is
// Always, status = 200.5 is Never. Always still needs the column to be present.
const (
	Eq Op = iota + 1
	Ne
	Lt
	Le
	Gt
	Ge
	Always
	Never
)

// String is the operator as it is written in filters and in SQL.
func (o Op) String() string {
	switch o {
	case Eq:
		return "="
	case Ne:
		return "!="
	case Lt:
		return "<"
	case Le:
		return "<="
	case Gt:
		return ">"
	case Ge:
		return ">="
	case Always:
		return "always"
	case Never:
		return "never"
	}
	return "unknown"
}

// Orders says whether the operator is one of < <= > >=.
func (o Op) Orders() bool { return o >= Lt && o <= Ge }

// Value is the literal of a comparison, in the form its column compares by.
type Value struct {
	// Text is the literal of a text column, the lower-case hex of an id column,
	// and for a map the literal as it was written, quotes and escapes undone.
	Text string
	// Uint is the literal of an integer column, in the unit of the column it is
	// read from (nanoseconds for duration_ms).
	Uint uint64
	// Nano is the literal of a time column, in nanoseconds since 1970.
	Nano int64
	// Float is a map literal's value where IsNumber.
	Float float64
	// IsNumber says that a map literal reads as a number.
	IsNumber bool
	// Bare says that a map literal was written without quotes.
	Bare bool
}

// Numeric says whether a map comparison tries numbers before text.
func (c *Compare) Numeric() bool { return c.Value.IsNumber && (c.Value.Bare || c.Op.Orders()) }

// Equal makes the condition that a text column has a value, for callers that
// know both. It panics where the language has no text column of that name.
func Equal(column, value string) *Compare {
	c := columnByName[column]
	if c == nil || c.Type != Text {
		panic("filter: no text column " + column)
	}
	return &Compare{Column: c, Op: Eq, Value: Value{Text: value}}
}
