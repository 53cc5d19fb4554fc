package filter

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd    tokenKind = iota
	tokWord             // what stands between spaces and signs: names, keywords, numbers
	tokString           // in quotes
	tokOp
	tokLike       // ~ and !~
	tokColon      // : of the short form
	tokMinus      // - before a term
	tokOpen       // (
	tokClose      // )
	tokOpenIndex  // [
	tokCloseIndex // ]
	tokComma
)

type token struct {
	kind tokenKind
	pos  int
	text string // a string's content, any other token as it was written
	raw  string // as it was written
	op   Op
	not  bool // !~
}

// found names the token in an error.
func (t token) found() string {
	if t.kind == tokEnd {
		return "end of filter"
	}
	return strconv.Quote(clip(t.raw))
}

// is says whether the token is a keyword, in any case.
func (t token) is(keyword string) bool {
	return t.kind == tokWord && strings.EqualFold(t.text, keyword)
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
	// typing says that the end of src is where somebody types: a word or a string
	// that ends there is not read, but kept as typed.
	typing bool
	typed  token
}

// next reads a token where a term may begin, and a minus sign is a negation.
func (l *lexer) next() (token, error) { return l.read(true) }

// literal reads a token where a literal is due, and a minus sign is part of a
// number.
func (l *lexer) literal() (token, error) { return l.read(false) }

func (l *lexer) read(term bool) (token, error) {
	l.skipSpace()
	if l.off == len(l.src) {
		return token{kind: tokEnd, pos: l.off}, nil
	}
	start := l.off
	switch c := l.src[start]; {
	case c == '\'' || c == '"':
		return l.quoted(c)
	case c == '-' && term:
		l.off++
		return l.token(tokMinus, start), nil
	case c == '=' || c == '!' || c == '<' || c == '>' || c == '~':
		return l.operator()
	case isPunct(c):
		l.off++
		return l.token(punct[c], start), nil
	}
	for l.off < len(l.src) && isWordByte(l.src[l.off]) {
		l.off++
	}
	return l.unlessTyped(l.token(tokWord, start)), nil
}

// unlessTyped is the token, or the end when the token is still being typed.
func (l *lexer) unlessTyped(t token) token {
	if !l.typing || l.off < len(l.src) {
		return t
	}
	l.typed = t
	return token{kind: tokEnd, pos: t.pos}
}

var punct = map[byte]tokenKind{
	'(': tokOpen, ')': tokClose, '[': tokOpenIndex, ']': tokCloseIndex, ',': tokComma, ':': tokColon,
}

func (l *lexer) skipSpace() {
	for l.off < len(l.src) && isSpace(l.src[l.off]) {
		l.off++
	}
}

func (l *lexer) token(k tokenKind, start int) token {
	s := l.src[start:l.off]
	return token{kind: k, pos: start, text: s, raw: s}
}

func (l *lexer) operator() (token, error) {
	start := l.off
	rest := l.src[start:]
	for _, sign := range []string{"!~", "~"} {
		if strings.HasPrefix(rest, sign) {
			l.off += len(sign)
			t := l.token(tokLike, start)
			t.not = sign == "!~"
			return t, nil
		}
	}
	if op, size := operatorAt(rest); op != 0 {
		l.off += size
		t := l.token(tokOp, start)
		t.op = op
		return t, nil
	}
	if rest == "!" && l.typing {
		l.off++
		return l.unlessTyped(l.token(tokOp, start)), nil
	}
	_, size := utf8.DecodeRuneInString(rest[1:])
	return token{}, &Error{Pos: start, Length: 1 + size, Found: strconv.Quote(rest[:1+size]), Expected: operators}
}

// operatorAt is the comparison that s starts with, and its length.
func operatorAt(s string) (Op, int) {
	for _, o := range []Op{Ne, Le, Ge, Eq, Lt, Gt} { // the longer ones first
		if strings.HasPrefix(s, o.String()) {
			return o, len(o.String())
		}
	}
	return 0, 0
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
	if l.typing {
		l.typed = token{kind: tokString, pos: start, text: b.String(), raw: l.src[start:]}
		return token{kind: tokEnd, pos: start}, nil
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

// short is the unquoted value of the short form: everything up to a space, or to
// a parenthesis that closes one from before the value.
func (l *lexer) short() token {
	start, depth := l.off, 0
	for l.off < len(l.src) && !isSpace(l.src[l.off]) {
		switch l.src[l.off] {
		case '\\':
			if l.off+1 < len(l.src) {
				l.off++
			}
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return l.token(tokWord, start)
			}
			depth--
		}
		l.off++
	}
	return l.unlessTyped(l.token(tokWord, start))
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isPunct(c byte) bool { return punct[c] != 0 }

func isWordByte(c byte) bool {
	return !isSpace(c) && !isPunct(c) && !strings.ContainsRune(`'"=!<>~`, rune(c))
}
