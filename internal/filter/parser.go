package filter

import (
	"strconv"
	"strings"
)

const (
	operators   = "one of = != < <= > >="
	columnOrMap = "a column such as status or route, or a key of a map such as attributes['plan'] or correlation['user_id']"
)

// MaxLength is the longest filter that Parse takes, in bytes. The text travels
// in URLs, and no reader needs more.
const MaxLength = 16 << 10

// Parse reads a filter. The error is an *Error.
func Parse(s string) (*Expr, error) {
	if len(s) > MaxLength {
		return nil, &Error{Pos: MaxLength, Found: strconv.Itoa(len(s)) + " bytes", Expected: "at most " + strconv.Itoa(MaxLength)}
	}
	p := &parser{lex: lexer{src: s}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == tokEnd {
		return &Expr{}, nil
	}
	var terms []Node
	for {
		c, err := p.compare()
		if err != nil {
			return nil, err
		}
		terms = append(terms, c)
		if p.tok.kind == tokEnd {
			break
		}
		if !p.tok.is("AND") {
			return nil, p.expected("AND or the end of the filter")
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if len(terms) == 1 {
		return &Expr{Root: terms[0]}, nil
	}
	return &Expr{Root: &And{Terms: terms}}, nil
}

type parser struct {
	lex lexer
	tok token
}

func (p *parser) advance() error {
	t, err := p.lex.next()
	p.tok = t
	return err
}

func (p *parser) expected(what string) error {
	return &Error{Pos: p.tok.pos, Found: p.tok.found(), Expected: what}
}

func (t token) is(keyword string) bool {
	return t.kind == tokWord && strings.EqualFold(t.text, keyword)
}

func (p *parser) compare() (*Compare, error) {
	c := &Compare{Field: Field{pos: p.tok.pos}}
	if p.tok.kind != tokWord || p.tok.is("AND") {
		return nil, p.expected(columnOrMap)
	}
	c.Column = columnByName[p.tok.text]
	if c.Column == nil {
		return nil, p.expected(suggest(p.tok.text))
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if c.Column.Type == Map {
		if err := p.key(c); err != nil {
			return nil, err
		}
	}
	if p.tok.kind != tokOp {
		return nil, p.expected(operators)
	}
	c.Op = p.tok.op
	if c.Column.Type == HexID && c.Op.Orders() {
		return nil, p.expected("= or !=, because " + c.Column.Name + " has no order")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.literal(c); err != nil {
		return nil, err
	}
	return c, p.advance()
}

func (p *parser) key(c *Compare) error {
	if p.tok.kind != tokOpen {
		return p.expected("[, as in " + c.Column.Name + "['key']")
	}
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != tokString || p.tok.text == "" { // OpenTelemetry knows no empty keys
		return p.expected("a quoted key, as in " + c.Column.Name + "['key']")
	}
	c.Key = p.tok.text
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != tokClose {
		return p.expected("]")
	}
	return p.advance()
}

// suggest says what could stand in place of a name that is no column.
func suggest(name string) string {
	lower := strings.ToLower(name)
	for _, c := range columns {
		if c.Name == lower || strings.ReplaceAll(c.Name, "_", "") == lower {
			return "the column " + c.Name
		}
	}
	return "a column such as status or route; what senders name themselves is attributes['" + clip(name) + "'] or correlation['" + clip(name) + "']"
}
