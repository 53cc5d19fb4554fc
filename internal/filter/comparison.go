package filter

import (
	"slices"
	"strconv"
	"strings"
)

// test reads what a field is tested for, up to the token after it.
func (p *parser) test(f Field) (Node, error) {
	switch p.tok.kind {
	case tokOp:
		op := p.tok.op
		if err := p.ordered(&f, op); err != nil {
			return nil, err
		}
		lit, err := p.nextLiteral(&f)
		if err != nil {
			return nil, err
		}
		return p.then(p.compared(f, op, lit))
	case tokLike:
		return p.pattern(f, Regexp, p.tok.not)
	case tokColon:
		return p.short(f)
	case tokWord:
		not := p.tok.is("NOT")
		if not {
			if err := p.advance(); err != nil {
				return nil, err
			}
		}
		switch {
		case p.tok.is("IN"):
			return p.in(f, not)
		case p.tok.is("BETWEEN"):
			return p.between(f, not)
		case p.tok.is("LIKE"):
			return p.pattern(f, Like, not)
		case p.tok.is("ILIKE"):
			return p.pattern(f, ILike, not)
		}
	}
	return nil, p.expected(afterName)
}

// then goes on to the token after a node.
func (p *parser) then(n Node, err error) (Node, error) {
	if err != nil {
		return nil, err
	}
	p.wants(WantConnective, nil)
	return n, p.advance()
}

// ordered refuses an operator that orders a field that has no order.
func (p *parser) ordered(f *Field, op Op) error {
	if f.Column.Type == HexID && op.Orders() {
		return p.expected("= or !=, because " + f.Column.Name + " has no order")
	}
	return nil
}

// literal is what a field is compared with, as it was written.
type literal struct {
	text   string
	quoted bool
	// loose says that text needs no quotes, as in the short form.
	loose bool
}

// nextLiteral goes on to a literal of the field and reads it.
func (p *parser) nextLiteral(f *Field) (literal, error) {
	p.wants(WantValue, f)
	if err := p.advanceLiteral(); err != nil {
		return literal{}, err
	}
	return literal{text: p.tok.text, quoted: p.tok.kind == tokString}, nil
}

// comparison makes a comparison with the literal, which is the token in hand.
func (p *parser) comparison(f Field, op Op, lit literal) (*Compare, error) {
	c := &Compare{Field: f, Op: op}
	return c, p.literal(c, lit)
}

// compared is comparison for literals that may name a range: severity = 'error' is
// one of four numbers.
func (p *parser) compared(f Field, op Op, lit literal) (Node, error) {
	from, to, ok := severities(f.Column, lit)
	if !ok {
		return p.comparison(f, op, lit)
	}
	at := func(op Op, n uint64) *Compare { return &Compare{Field: f, Op: op, Value: Value{Uint: n}} }
	switch op {
	case Eq:
		return p.span(at(Ge, from), at(Le, to), false)
	case Ne:
		return p.span(at(Lt, from), at(Gt, to), true)
	case Gt, Le:
		return at(op, to), nil
	}
	return at(op, from), nil
}

// in reads IN and a list. A list of one is a comparison; a number that an integer
// column cannot hold is left out.
func (p *parser) in(f Field, not bool) (Node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != tokOpen {
		return nil, p.expected("( and a list, as in IN ('a', 'b')")
	}
	in := &In{Field: f, Not: not}
	for {
		lit, err := p.nextLiteral(&f)
		if err != nil {
			return nil, err
		}
		if p.values++; p.values > MaxValues {
			return nil, p.expected("at most " + strconv.Itoa(MaxValues) + " values in lists")
		}
		if err := p.member(in, lit); err != nil {
			return nil, err
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind == tokClose {
			break
		}
		if p.tok.kind != tokComma {
			return nil, p.expected(", or )")
		}
	}
	return p.then(in.simplest(), nil)
}

// member adds a literal to a list.
func (p *parser) member(in *In, lit literal) error {
	if from, to, ok := severities(in.Column, lit); ok {
		for n := from; n <= to; n++ {
			in.add(Value{Uint: n})
		}
		return nil
	}
	c, err := p.comparison(in.Field, Eq, lit)
	if err == nil && c.Op == Eq {
		in.add(c.Value)
	}
	return err
}

func (n *In) add(v Value) {
	if !slices.Contains(n.Values, v) {
		n.Values = append(n.Values, v)
	}
}

// simplest is the list, or a comparison where it has fewer than two values.
func (n *In) simplest() Node {
	equal, never := Eq, Never
	if n.Not {
		equal, never = Ne, Always
	}
	switch len(n.Values) {
	case 0:
		return &Compare{Field: n.Field, Op: never}
	case 1:
		return &Compare{Field: n.Field, Op: equal, Value: n.Values[0]}
	}
	n.prepare()
	return n
}

// between reads BETWEEN low AND high, which includes both.
func (p *parser) between(f Field, not bool) (Node, error) {
	if err := p.ordered(&f, Ge); err != nil {
		return nil, err
	}
	low, err := p.nextLiteral(&f)
	if err != nil {
		return nil, err
	}
	ops := [2]Op{Ge, Le}
	if not {
		ops = [2]Op{Lt, Gt}
	}
	from, err := p.comparison(f, ops[0], low)
	if err != nil {
		return nil, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !p.tok.is("AND") {
		return nil, p.expected("AND and the upper bound")
	}
	high, err := p.nextLiteral(&f)
	if err != nil {
		return nil, err
	}
	to, err := p.comparison(f, ops[1], high)
	if err != nil {
		return nil, err
	}
	return p.then(p.span(from, to, not))
}

// span joins the bounds of a range, or of what is outside of it.
func (p *parser) span(from, to *Compare, outside bool) (Node, error) {
	if err := p.countTerm(); err != nil {
		return nil, err
	}
	if outside {
		return newOr([]Node{from, to}), nil
	}
	return newAnd([]Node{from, to}), nil
}

// pattern reads a pattern in quotes.
func (p *parser) pattern(f Field, kind PatternKind, not bool) (Node, error) {
	if f.Column.Type != Text && f.Column.Type != Map {
		return nil, p.expected("one of = != < <= > >= IN BETWEEN, because " + f.Column.Name + " is no text")
	}
	p.wants(WantValue, &f)
	if err := p.advanceLiteral(); err != nil {
		return nil, err
	}
	if p.tok.kind != tokString {
		return nil, p.expected("a pattern in quotes")
	}
	return p.then(p.patternOf(f, kind, not, p.tok.text))
}

// patternOf makes a pattern of its text, which is the token in hand.
func (p *parser) patternOf(f Field, kind PatternKind, not bool, source string) (Node, error) {
	if err := p.countPattern(); err != nil {
		return nil, err
	}
	m, err := newMatcher(kind, source)
	if err != nil {
		return nil, p.expected(err.Error())
	}
	return &Pattern{Field: f, Kind: kind, Not: not, Source: source, Matcher: m}, nil
}

// freeText reads a word or a quoted text to search for.
func (p *parser) freeText() (Node, error) {
	t := p.tok
	switch {
	case t.kind == tokWord && keyword(t.text):
		return nil, p.expected(aTerm)
	case t.text == "":
		return nil, p.expected("text to search for")
	case t.kind == tokWord && strings.Contains(t.text, "*"):
		return nil, p.expected("a word without *: a part of a word finds it already; in quotes, * is searched for")
	}
	if len(t.text) > MaxPattern {
		return nil, p.expected(errTooLong.Error())
	}
	if err := p.countPattern(); err != nil {
		return nil, err
	}
	p.wants(WantConnective, nil)
	if f := fieldNamed(t.text); t.kind == tokWord && (!f.Bare() || notBare(t.text) == "") {
		// It may be a field whose test is still to be typed.
		p.wants(WantTest, &f)
	}
	return &FreeText{Text: t.text, Matcher: containing(t.text), pos: t.pos}, p.advance()
}
