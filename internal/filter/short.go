package filter

import (
	"regexp"
	"strings"
)

// short reads the value of the short form, key:value. It stands right after the
// colon: a quoted text, or everything up to the next space, in which * stands for
// any text and a backslash takes the next character as it is. Before it can stand
// an operator; a..b is a range, both ends included.
func (p *parser) short(f Field) (Node, error) {
	p.wants(WantShortValue, &f)
	op, size := operatorAt(p.lex.src[p.lex.off:])
	if size > 0 {
		p.tok = token{kind: tokOp, pos: p.lex.off, raw: op.String()}
		if err := p.ordered(&f, op); err != nil {
			return nil, err
		}
		p.lex.off += size
	}
	if rest := p.lex.src[p.lex.off:]; rest == "" || isSpace(rest[0]) || rest[0] == ')' {
		if err := p.advance(); err != nil {
			return nil, err
		}
		return nil, p.expected("a value right after the colon, without a space")
	}
	if c := p.lex.src[p.lex.off]; c == '\'' || c == '"' {
		t, err := p.lex.quoted(c)
		if err != nil {
			return nil, err
		}
		if p.tok = t; t.kind == tokEnd {
			return nil, p.expected("a value")
		}
		if op == 0 {
			op = Eq
		}
		return p.then(p.compared(f, op, literal{text: t.text, quoted: true}))
	}
	if p.tok = p.lex.short(); p.tok.kind == tokEnd {
		return nil, p.expected("a value")
	}
	if op != 0 {
		return p.then(p.compared(f, op, literal{text: unescapeShort(p.tok.text), loose: true}))
	}
	return p.then(p.shortValue(f, p.tok.text))
}

var statusClass = regexp.MustCompile(`^[1-9][xX][xX]$`)

// shortValue makes a test of an unquoted value without an operator.
func (p *parser) shortValue(f Field, raw string) (Node, error) {
	if raw == "*" {
		return &Exists{Field: f}, nil
	}
	if strings.HasPrefix(raw, "//") {
		return nil, p.expected("a value; an address such as http://… is searched for in quotes")
	}
	if f.Column.Name == "status" && statusClass.MatchString(raw) {
		return p.shortRange(f, raw[:1]+"00", raw[:1]+"99")
	}
	if low, high, ok := strings.Cut(raw, ".."); ok && rangeOf(f.Column, low, high) {
		return p.shortRange(f, low, high)
	}
	if containsStar(raw) && (f.Column.Type == Text || f.Column.Type == Map) {
		return p.patternOf(f, Like, false, globToLike(raw))
	}
	n, err := p.compared(f, Eq, literal{text: unescapeShort(raw), loose: true})
	if err != nil && f.Column.Name == "status" {
		return nil, p.expected("a number, a class such as 5xx, or a range such as 500..599")
	}
	return n, err
}

// rangeOf says whether low..high is a range and not just text with two dots.
func rangeOf(c *Column, low, high string) bool {
	switch c.Type {
	case Uint, Time:
		return true
	case Map:
		return IsNumber(low) && IsNumber(high)
	}
	return false
}

func (p *parser) shortRange(f Field, low, high string) (Node, error) {
	from, err := p.comparison(f, Ge, literal{text: low, loose: true})
	if err != nil {
		return nil, err
	}
	to, err := p.comparison(f, Le, literal{text: high, loose: true})
	if err != nil {
		return nil, err
	}
	return p.span(from, to, false)
}

// containsStar says whether an unquoted text has a * that no backslash is before.
func containsStar(raw string) bool {
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '*':
			return true
		}
	}
	return false
}

// unescapeShort undoes the backslashes of an unquoted value.
func unescapeShort(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) {
			i++
		}
		b.WriteByte(raw[i])
	}
	return b.String()
}

// globToLike writes an unquoted value with * as a pattern of LIKE.
func globToLike(raw string) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '*':
			b.WriteByte('%')
			continue
		case c == '\\' && i+1 < len(raw):
			i++
			c = raw[i]
		}
		if c == '%' || c == '_' || c == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
