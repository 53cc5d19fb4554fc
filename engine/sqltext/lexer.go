package sqltext

import "strings"

// kind classifies a token.
type kind uint8

const (
	end        kind = iota // no more tokens
	word                   // keyword, identifier or number
	quotedName             // `name` or "name"
	literal                // 'string' or $tag$heredoc$tag$
	symbol                 // any other single byte
	broken                 // a quote or comment that does not close
)

// token is a piece of the text: text[start:end].
type token struct {
	kind       kind
	start, end int
}

// lexer walks over the significant tokens of a text; blanks and comments are
// skipped.
type lexer struct {
	text string
	pos  int
}

func (l *lexer) next() token {
	l.skipBlank()
	start := l.pos
	if start >= len(l.text) {
		return token{kind: end, start: len(l.text), end: len(l.text)}
	}
	c := l.text[start]
	switch {
	case c == '\'':
		return l.quoted(start, literal)
	case c == '"' || c == '`':
		return l.quoted(start, quotedName)
	case c == '/' && strings.HasPrefix(l.text[start:], "/*"):
		l.pos = len(l.text)
		return token{kind: broken, start: start, end: l.pos}
	case c == '$':
		if t, ok := l.heredoc(start); ok {
			return t
		}
		return l.wordFrom(start)
	case isWord(c):
		return l.wordFrom(start)
	default:
		l.pos++
		return token{kind: symbol, start: start, end: l.pos}
	}
}

func (l *lexer) wordFrom(start int) token {
	for l.pos = start + 1; l.pos < len(l.text) && isWord(l.text[l.pos]); {
		l.pos++
	}
	return token{kind: word, start: start, end: l.pos}
}

// quoted reads up to the closing quote; a backslash escapes, a doubled quote
// stands for itself.
func (l *lexer) quoted(start int, k kind) token {
	quote := l.text[start]
	for i := start + 1; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
		case quote:
			if i+1 < len(l.text) && l.text[i+1] == quote {
				i++
				continue
			}
			l.pos = i + 1
			return token{kind: k, start: start, end: l.pos}
		}
	}
	l.pos = len(l.text)
	return token{kind: broken, start: start, end: l.pos}
}

// heredoc reads $tag$ … $tag$; false when the text at start opens none.
func (l *lexer) heredoc(start int) (token, bool) {
	i := start + 1
	for i < len(l.text) && isWord(l.text[i]) && l.text[i] != '$' {
		i++
	}
	if i >= len(l.text) || l.text[i] != '$' {
		return token{}, false
	}
	tag := l.text[start : i+1]
	length := strings.Index(l.text[i+1:], tag)
	if length < 0 {
		return token{}, false
	}
	l.pos = i + 1 + length + len(tag)
	return token{kind: literal, start: start, end: l.pos}, true
}

// skipBlank moves past white space and closed comments.
func (l *lexer) skipBlank() {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch {
		case isSpace(rest[0]):
			l.pos++
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "# "), strings.HasPrefix(rest, "#!"):
			newline := strings.IndexByte(rest, '\n')
			if newline < 0 {
				l.pos = len(l.text)
				return
			}
			l.pos += newline + 1
		case strings.HasPrefix(rest, "/*"):
			length := strings.Index(rest[2:], "*/")
			if length < 0 {
				return
			}
			l.pos += 2 + length + 2
		default:
			return
		}
	}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// is reports whether the token is the keyword, in any case.
func (l *lexer) is(t token, keyword string) bool {
	return t.kind == word && strings.EqualFold(l.text[t.start:t.end], keyword)
}

// isSymbol reports whether the token is the symbol.
func (l *lexer) isSymbol(t token, c byte) bool {
	return t.kind == symbol && l.text[t.start] == c
}

// depth tracks brackets: the change of nesting that a token makes.
func (l *lexer) depth(t token) int {
	if t.kind != symbol {
		return 0
	}
	switch l.text[t.start] {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}
