package filter

import (
	"strconv"
	"unicode/utf8"
)

const (
	operators = "one of = != < <= > >= ~ !~"
	afterName = "one of = != < <= > >= ~ !~ : IN BETWEEN LIKE ILIKE"
	aTerm     = "a field such as status, route, user_id or attributes['plan'], a word or quoted text to search for, NOT, or ("
	aField    = "a field such as status, route, user_id or attributes['plan']"
)

// Parse reads a filter. The error is an *Error.
func Parse(s string) (*Expr, error) {
	if len(s) > MaxLength {
		return nil, &Error{Pos: MaxLength, Length: len(s) - MaxLength, Found: strconv.Itoa(len(s)) + " bytes", Expected: "at most " + strconv.Itoa(MaxLength)}
	}
	if at := invalidUTF8(s); at >= 0 {
		return nil, &Error{Pos: at, Length: 1, Found: strconv.Quote(s[at : at+1]), Expected: "UTF-8"}
	}
	p := &parser{lex: lexer{src: s}}
	root, err := p.filter()
	if err != nil {
		return nil, err
	}
	return &Expr{Root: root}, nil
}

// filter reads all of the text.
func (p *parser) filter() (Node, error) {
	p.wants(WantTerm, nil)
	if err := p.advance(); err != nil || p.tok.kind == tokEnd {
		return nil, err
	}
	root, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokEnd {
		return nil, p.expected("AND, OR, another term, or the end of the filter")
	}
	return root, p.checkDepth(root)
}

// invalidUTF8 is where s stops being UTF-8, -1 when it does not.
func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// parser goes through a filter with one token in hand. Its methods are named
// after the rules of the grammar:
//
//	or     = and { "OR" and }
//	and    = not { [ "AND" ] not }
//	not    = [ "NOT" | "-" ] not | "(" or ")" | term
//	term   = "EXISTS" field | field test | field ":" short | text
type parser struct {
	lex    lexer
	tok    token
	depth  int
	terms  int
	values int
	// patterns counts patterns and free texts.
	patterns int

	// want is what the next token is to be, and of which field, for Complete.
	want  Want
	about Field
}

// wants says what the next token is to be, before it is read.
func (p *parser) wants(w Want, f *Field) {
	p.want = w
	if f != nil {
		p.about = *f
	}
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lex.next()
	return err
}

func (p *parser) advanceLiteral() (err error) {
	p.tok, err = p.lex.literal()
	return err
}

func (p *parser) expected(what string) error {
	return &Error{Pos: p.tok.pos, Length: len(p.tok.raw), Found: p.tok.found(), Expected: what}
}

func (p *parser) or() (Node, error) {
	var terms []Node
	for {
		t, err := p.and()
		if err != nil {
			return nil, err
		}
		if or, ok := t.(*Or); ok {
			terms = append(terms, or.Terms...)
		} else {
			terms = append(terms, t)
		}
		if !p.tok.is("OR") {
			break
		}
		p.wants(WantTerm, nil)
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if len(terms) == 1 {
		return terms[0], nil
	}
	return newOr(terms), nil
}

func (p *parser) and() (Node, error) {
	var terms []Node
	for {
		t, err := p.not()
		if err != nil {
			return nil, err
		}
		if and, ok := t.(*And); ok {
			terms = append(terms, and.Terms...)
		} else {
			terms = append(terms, t)
		}
		if p.tok.is("AND") {
			p.wants(WantTerm, nil)
			if err := p.advance(); err != nil {
				return nil, err
			}
			continue
		}
		if !p.startsTerm() {
			break
		}
	}
	if len(terms) == 1 {
		return terms[0], nil
	}
	return newAnd(terms), nil
}

// startsTerm says whether the token can begin a term that stands beside another
// without AND.
func (p *parser) startsTerm() bool {
	switch p.tok.kind {
	case tokWord:
		return !p.tok.is("OR")
	case tokString, tokMinus, tokOpen:
		return true
	}
	return false
}

func (p *parser) not() (Node, error) {
	switch {
	case p.tok.kind == tokMinus || p.tok.is("NOT"):
		leave, err := p.nest()
		if err != nil {
			return nil, err
		}
		defer leave()
		pos := p.tok.pos
		p.wants(WantTerm, nil)
		if err := p.advance(); err != nil {
			return nil, err
		}
		t, err := p.not()
		if err != nil {
			return nil, err
		}
		if not, ok := t.(*Not); ok {
			return not.Term, nil
		}
		return &Not{Term: t, pos: pos}, nil
	case p.tok.kind == tokOpen:
		leave, err := p.nest()
		if err != nil {
			return nil, err
		}
		defer leave()
		open := p.tok.pos
		p.wants(WantTerm, nil)
		if err := p.advance(); err != nil {
			return nil, err
		}
		t, err := p.or()
		if err != nil {
			return nil, err
		}
		if p.tok.kind != tokClose {
			return nil, p.expected("AND, OR, another term, or the ) of the ( at byte " + strconv.Itoa(open))
		}
		p.wants(WantConnective, nil)
		return t, p.advance()
	}
	if err := p.countTerm(); err != nil {
		return nil, err
	}
	return p.term()
}

func (p *parser) term() (Node, error) {
	if p.tok.kind == tokString {
		return p.freeText()
	}
	if p.tok.kind != tokWord {
		return nil, p.expected(aTerm)
	}
	if p.tok.is("EXISTS") {
		p.wants(WantField, nil)
		if err := p.advance(); err != nil {
			return nil, err
		}
		f, err := p.field()
		if err != nil {
			return nil, err
		}
		p.wants(WantConnective, nil) // of the token in hand, when it is still being typed
		return &Exists{Field: f}, nil
	}
	if !p.namesField() {
		return p.freeText()
	}
	f, err := p.field()
	if err != nil {
		return nil, err
	}
	return p.test(f)
}

// namesField says whether the word in hand is a field and no text to search for,
// by what comes after it.
func (p *parser) namesField() bool {
	ahead := *p
	ahead.skip()
	switch ahead.tok.kind {
	case tokOp, tokLike, tokColon, tokOpenIndex:
		return true
	case tokWord:
		if keyword(p.tok.text) {
			return false
		}
		if ahead.tok.is("NOT") {
			ahead.skip()
		}
		return ahead.startsTest()
	}
	return false
}

// skip goes on to the next token where that is only looked at. What makes no sense
// is taken for an operator: whoever reads it gives the error.
func (p *parser) skip() {
	if p.advance() != nil {
		p.tok = token{kind: tokOp}
	}
}

// startsTest says whether the token is a keyword that tests a field.
func (p *parser) startsTest() bool {
	return p.tok.is("IN") || p.tok.is("BETWEEN") || p.tok.is("LIKE") || p.tok.is("ILIKE")
}

// keywords cannot be bare names or free text without quotes.
var keywords = []string{"AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "ILIKE", "EXISTS"}
