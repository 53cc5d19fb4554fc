package filter

import (
	"math/big"
	"strconv"
	"strings"
	"time"
)

// String writes the filter in its canonical form: what Parse reads from it is the
// same tree, and filters with the same tree are written alike. Short forms are
// written out, status:5xx as status >= 500 AND status <= 599.
// A text close to MaxLength may become longer than Parse takes.
func (e *Expr) String() string {
	if e.Root == nil {
		return ""
	}
	var b strings.Builder
	printNode(&b, e.Root)
	return b.String()
}

// String writes a part of a filter in the canonical form.
func String(n Node) string { return (&Expr{Root: n}).String() }

func printNode(b *strings.Builder, n Node) {
	switch n := n.(type) {
	case *And:
		printTerms(b, n.Terms, " AND ")
	case *Or:
		printTerms(b, n.Terms, " OR ")
	case *Not:
		b.WriteString("NOT ")
		printTerm(b, n.Term)
	case *Compare:
		printCompare(b, n)
	case *In:
		b.WriteString(n.Name())
		b.WriteString(notWord(n.Not) + " IN (")
		for i := range n.Values {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(n.Column.print(&n.Values[i]))
		}
		b.WriteByte(')')
	case *Pattern:
		b.WriteString(n.Name())
		switch {
		case n.Kind == Regexp && n.Not:
			b.WriteString(" !~ ")
		case n.Kind == Regexp:
			b.WriteString(" ~ ")
		case n.Kind == ILike:
			b.WriteString(notWord(n.Not) + " ILIKE ")
		default:
			b.WriteString(notWord(n.Not) + " LIKE ")
		}
		b.WriteString(quote(n.Source, '\''))
	case *Exists:
		b.WriteString("EXISTS " + n.Name())
	case *FreeText:
		b.WriteString(quote(n.Text, '"'))
	}
}

func notWord(not bool) string {
	if not {
		return " NOT"
	}
	return ""
}

func printTerms(b *strings.Builder, terms []Node, operator string) {
	for i, t := range terms {
		if i > 0 {
			b.WriteString(operator)
		}
		printTerm(b, t)
	}
}

// printTerm writes a term of another one, in parentheses where it has terms.
func printTerm(b *strings.Builder, n Node) {
	switch n.(type) {
	case *And, *Or:
		b.WriteByte('(')
		printNode(b, n)
		b.WriteByte(')')
	default:
		printNode(b, n)
	}
}

// Name writes the field as a filter names it.
func (f *Field) Name() string {
	switch {
	case f.Bare():
		return f.Key
	case f.Column.Type == Map:
		return f.Column.Name + "[" + quote(f.Key, '\'') + "]"
	}
	return f.Column.Name
}

func printCompare(b *strings.Builder, c *Compare) {
	b.WriteString(c.Name())
	switch c.Op {
	case Always:
		b.WriteString(" > -1")
	case Never:
		b.WriteString(" < -1")
	default:
		b.WriteString(" " + c.Op.String() + " " + c.Column.print(&c.Value))
	}
}

// print writes a literal of the column.
func (c *Column) print(v *Value) string {
	switch c.Type {
	case Time:
		return quote(time.Unix(0, v.Nano).UTC().Format(time.RFC3339Nano), '\'')
	case Map:
		if v.Bare {
			return v.Text
		}
	case Uint:
		if c.Duration && c.scale == 1 {
			return printDuration(v.Uint)
		}
		n := new(big.Rat).SetFrac(new(big.Int).SetUint64(v.Uint), big.NewInt(c.scale))
		if n.IsInt() {
			return n.RatString()
		}
		return strings.TrimRight(n.FloatString(6), "0")
	}
	return quote(v.Text, '\'')
}

// printDuration writes nanoseconds in the largest unit that leaves no more than
// three digits after the point.
func printDuration(ns uint64) string {
	for _, u := range []struct {
		name  string
		nanos uint64
	}{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}} {
		if ns >= u.nanos && ns%(u.nanos/1000) == 0 {
			s := strconv.FormatUint(ns/u.nanos, 10)
			if rest := ns % u.nanos * 1000 / u.nanos; rest > 0 {
				s += "." + strings.TrimRight(padded(rest), "0")
			}
			return s + u.name
		}
	}
	return strconv.FormatUint(ns, 10)
}

func padded(thousandths uint64) string {
	s := strconv.FormatUint(thousandths, 10)
	return strings.Repeat("0", 3-len(s)) + s
}

// quote writes a string literal.
func quote(s string, mark byte) string {
	var b strings.Builder
	b.WriteByte(mark)
	for i := range len(s) {
		switch c := s[i]; c {
		case mark, '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte(mark)
	return b.String()
}
