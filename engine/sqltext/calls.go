package sqltext

import (
	"strings"
	"unicode/utf8"
)

// Calls returns the names in the text that an opening bracket follows, in lower
// case and without quotes: of functions, table functions, engines, sources. What
// stands in strings and comments does not count.
func Calls(text string) []string {
	l := &lexer{text: text}
	var names []string
	var previous token
	for t := l.next(); t.kind != end; t = l.next() {
		if l.isSymbol(t, '(') && (previous.kind == word || previous.kind == quotedName) {
			names = append(names, callName(l.value(previous)))
		}
		previous = t
	}
	return names
}

// callName is a name as Calls gives it. Blanks beyond ASCII, which the engine
// skips, are words to the lexer: they are cut off.
func callName(name string) string {
	return strings.ToLower(strings.TrimFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }))
}

// HasTypographicQuote reports whether the text has quotation marks such as “ and ’
// outside strings and quoted names. The engine takes them for quotes, this
// package does not.
func HasTypographicQuote(text string) bool {
	l := &lexer{text: text}
	for t := l.next(); t.kind != end; t = l.next() {
		if t.kind == word && strings.ContainsAny(text[t.start:t.end], "\u2018\u2019\u201c\u201d") {
			return true
		}
	}
	return false
}

// Literals returns the values of the strings in the text.
func Literals(text string) []string {
	l := &lexer{text: text}
	var values []string
	for t := l.next(); t.kind != end; t = l.next() {
		if t.kind == literal {
			values = append(values, l.value(t))
		}
	}
	return values
}

// Assignments returns the strings that the text assigns to names, as SETTINGS
// a = 'b' does, by name in lower case. Of several for one name all are returned.
func Assignments(text string) map[string][]string {
	l := &lexer{text: text}
	values := map[string][]string{}
	var name, sign token
	for t := l.next(); t.kind != end; t = l.next() {
		if t.kind == literal && l.isSymbol(sign, '=') && (name.kind == word || name.kind == quotedName) {
			key := strings.ToLower(l.value(name))
			values[key] = append(values[key], l.value(t))
		}
		name, sign = sign, t
	}
	return values
}

// HasSequence reports whether the keywords, or quoted names of the same text,
// stand side by side.
func (s Statement) HasSequence(keywords ...string) bool {
	l := &lexer{text: s.Text}
	var tokens []token
	for t := l.next(); t.kind != end; t = l.next() {
		tokens = append(tokens, t)
	}
	for i := range tokens {
		if i+len(keywords) > len(tokens) {
			break
		}
		found := true
		for k, keyword := range keywords {
			t := tokens[i+k]
			found = found && (t.kind == word || t.kind == quotedName) && strings.EqualFold(l.value(t), keyword)
		}
		if found {
			return true
		}
	}
	return false
}

// value is what a word, a quoted name or a literal stands for.
func (l *lexer) value(t token) string {
	text := l.text[t.start:t.end]
	switch {
	case t.kind == word:
		return text
	case t.kind != literal && t.kind != quotedName:
		return ""
	case text[0] == '$':
		tag := strings.IndexByte(text[1:], '$') + 2
		return text[tag : len(text)-tag]
	}
	quote := text[0]
	var b strings.Builder
	for i := 1; i < len(text)-1; i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text)-1:
			i++
			n := unescape(&b, text[i:len(text)-1])
			i += n - 1
		case text[i] == quote:
			i++ // doubled
			b.WriteByte(quote)
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// escapes are the escapes of one letter that stand for another byte.
var escapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', 'a': '\a', '0': 0, 'e': 0x1b}

// unescape writes what the escape behind a backslash stands for, and returns how
// many bytes it takes.
func unescape(b *strings.Builder, text string) int {
	if text[0] == 'x' && len(text) >= 3 {
		high, low := strings.IndexByte(hexDigits, text[1]|0x20), strings.IndexByte(hexDigits, text[2]|0x20)
		if high >= 0 && low >= 0 {
			b.WriteByte(byte(high<<4 | low))
			return 3
		}
	}
	c, ok := escapes[text[0]]
	if !ok {
		c = text[0]
	}
	b.WriteByte(c)
	return 1
}

const hexDigits = "0123456789abcdef"
