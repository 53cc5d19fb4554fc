package filter

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokWord
	tokString
	tokNumber
	tokDuration
	tokOp
	tokOpen  // [
	tokClose // ]
)

type token struct {
	kind tokenKind
	pos  int
	text string // a string's content, any other token as it was written
	op   Op
	raw  string // as it was written
}

// found names the token in an error.
func (t token) found() string {
	if t.kind == tokEnd {
		return "end of filter"
	}
	return strconv.Quote(clip(t.raw))
}

// maxQuoted keeps a pasted document out of an error message.
const maxQuoted = 40

func clip(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

type lexer struct {
	src string
	off int
}

func (l *lexer) next() (token, error) {
	for l.off < len(l.src) && isSpace(l.src[l.off]) {
		l.off++
	}
	if l.off == len(l.src) {
		return token{kind: tokEnd, pos: l.off}, nil
	}
	start := l.off
	switch c := l.src[l.off]; {
	case c == '[':
		l.off++
		return l.token(tokOpen, start), nil
	case c == ']':
		l.off++
		return l.token(tokClose, start), nil
	case c == '\'' || c == '"':
		return l.quoted(c)
	case c == '=' || c == '!' || c == '<' || c == '>':
		return l.operator()
	case isDigit(c) || c == '-' || c == '+' || c == '.':
		return l.number()
	case isWordStart(c):
		for l.off < len(l.src) && isWordPart(l.src[l.off]) {
			l.off++
		}
		return l.token(tokWord, start), nil
	}
	_, size := utf8.DecodeRuneInString(l.src[start:])
	return token{}, &Error{Pos: start, Found: strconv.Quote(l.src[start : start+size]), Expected: "a column, an operator or a literal"}
}

func (l *lexer) token(k tokenKind, start int) token {
	s := l.src[start:l.off]
	return token{kind: k, pos: start, text: s, raw: s}
}

func (l *lexer) operator() (token, error) {
	start := l.off
	two := l.src[start:min(start+2, len(l.src))]
	for _, o := range []Op{Ne, Le, Ge, Eq, Lt, Gt} { // the longer ones first
		if strings.HasPrefix(two, o.String()) {
			l.off += len(o.String())
			t := l.token(tokOp, start)
			t.op = o
			return t, nil
		}
	}
	return token{}, &Error{Pos: start, Found: strconv.Quote(two), Expected: operators}
}

// quoted reads a string in single or double quotes. A backslash takes the next
// character as it is, except \n, \r and \t.
func (l *lexer) quoted(quote byte) (token, error) {
	start := l.off
	var b strings.Builder
	for l.off++; l.off < len(l.src); l.off++ {
		c := l.src[l.off]
		switch {
		case c == quote:
			l.off++
			return token{kind: tokString, pos: start, text: b.String(), raw: l.src[start:l.off]}, nil
		case c == '\\' && l.off+1 < len(l.src):
			l.off++
			b.WriteByte(unescape(l.src[l.off]))
		default:
			b.WriteByte(c)
		}
	}
	return token{}, &Error{Pos: len(l.src), Found: "end of filter", Expected: "the closing " + string(quote) + " of the string at byte " + strconv.Itoa(start)}
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// number reads a number or, where unit letters follow, a duration.
func (l *lexer) number() (token, error) {
	start := l.off
	for l.off < len(l.src) && isNumberPart(l.src, l.off) {
		l.off++
	}
	t := l.token(tokNumber, start)
	if IsNumber(t.text) {
		return t, nil
	}
	if _, ok := parseDuration(t.text); ok {
		t.kind = tokDuration
		return t, nil
	}
	return token{}, &Error{Pos: start, Found: t.found(), Expected: "a number such as 500 or 1.5, a duration such as 250ms or 1m30s, or a quoted string"}
}

// isNumberPart takes in everything that could belong to a number or a duration,
// so that an error shows the whole word and not its second half.
func isNumberPart(s string, i int) bool {
	c := s[i]
	if c == '-' || c == '+' {
		return i == 0 || s[i-1] == 'e' || s[i-1] == 'E' || !isNumberPart(s, i-1)
	}
	return isWordPart(c) || c == '.'
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}
func isWordPart(c byte) bool { return isWordStart(c) || isDigit(c) }
