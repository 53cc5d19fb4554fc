package filter

// Expr is a parsed filter.
type Expr struct {
	// Root is nil for the empty filter, which matches every record.
	Root Node
}

// Node is a part of a filter. Its types are *And, *Or, *Not, *Compare, *In,
// *Pattern, *Exists and *FreeText. BETWEEN, ranges and statuses such as 5xx are an
// *And of two *Compare.
type Node interface {
	// Pos is the byte offset at which the node's text starts.
	Pos() int
	node()
}

// And is true when all of its terms are. It has at least two, none an *And. Only
// the parser makes one.
type And struct {
	Terms []Node

	order []Node // Terms, the cheapest to match first
}

// Or is true when one of its terms is. It has at least two, none an *Or. Only the
// parser makes one.
type Or struct {
	Terms []Node

	order []Node // Terms, the cheapest to match first
}

// Not is true when its term is not, also where the term is false because a value
// is absent. Its term is no *Not.
type Not struct {
	Term Node

	pos int
}

// Field is what a comparison reads.
type Field struct {
	// Column is the column or map. It is AnyKey for a bare name that is no column.
	Column *Column
	// Key is the key inside a map, or the bare name; empty for other columns.
	Key string

	pos int
}

// Pos is where the field's name starts.
func (f *Field) Pos() int { return f.pos }

// Bare says that the field is a name that is no column: it reads the correlation
// key of that name, or else the attribute.
func (f *Field) Bare() bool { return f.Column == AnyKey }

// Compare compares a field with a literal, which is already in the field's unit:
// see Value.
type Compare struct {
	Field
	Op    Op
	Value Value
}

// In compares a field with several literals. There are at least two, all
// different.
type In struct {
	Field
	// Not asks for a value that is there and is none of them.
	Not    bool
	Values []Value

	texts map[string]struct{} // the values of a long list of a text column
}

// Pattern compares a text with a pattern.
type Pattern struct {
	Field
	Kind PatternKind
	// Not asks for a value that is there and does not match.
	Not bool
	// Source is the pattern as it was written, quotes and escapes of the string
	// undone.
	Source string
	// Matcher is what the pattern comes to.
	Matcher *Matcher
}

// PatternKind is the language of a pattern.
type PatternKind uint8

// The kinds of patterns.
const (
	// Like has % for any text and _ for any character.
	Like PatternKind = iota + 1
	// ILike is Like without regard to case.
	ILike
	// Regexp is an RE2 expression that any part of the text may match.
	Regexp
)

// Exists asks whether a field was given: whether a map has the key, and whether a
// column is neither empty nor zero.
type Exists struct{ Field }

// FreeText is a part of one of TextColumns, without regard to case.
type FreeText struct {
	Text    string
	Matcher *Matcher

	pos int
}

// Pos is where the first term starts.
func (a *And) Pos() int { return a.Terms[0].Pos() }

// Pos is where the first term starts.
func (o *Or) Pos() int { return o.Terms[0].Pos() }

// Pos is where the NOT or the minus sign stands.
func (n *Not) Pos() int { return n.pos }

// Pos is where the text starts.
func (t *FreeText) Pos() int { return t.pos }

func (*And) node()      {}
func (*Or) node()       {}
func (*Not) node()      {}
func (*Compare) node()  {}
func (*In) node()       {}
func (*Pattern) node()  {}
func (*Exists) node()   {}
func (*FreeText) node() {}

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

// Numeric says whether comparing values of a map by op tries numbers before text.
// Correlation keys and what bare names find are identifiers: they order as numbers,
// but equal as text, which is what indexes know.
func (v *Value) Numeric(column *Column, op Op) bool {
	if !v.IsNumber {
		return false
	}
	return op.Orders() || v.Bare && column != correlation && column != AnyKey
}

// Numeric says whether a map comparison tries numbers before text.
func (c *Compare) Numeric() bool { return c.Value.Numeric(c.Column, c.Op) }

// Equal makes the condition that a text column has a value, for callers that
// know both. It panics where the language has no text column of that name.
func Equal(column, value string) *Compare {
	c := columnByName[column]
	if c == nil || c.Type != Text {
		panic("filter: no text column " + column)
	}
	return &Compare{Field: Field{Column: c}, Op: Eq, Value: Value{Text: value}}
}
