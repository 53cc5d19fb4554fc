package requestredactionprocessor

import "strings"

// sqlKind is what a token of SQL is, as far as redaction tells them apart.
type sqlKind uint8

const (
	sqlEnd     sqlKind = iota
	sqlName            // a word, or a name in quotes; end and start exclude the quotes
	sqlText            // a literal in quotes, without them
	sqlNumber          // a numeric literal
	sqlComment         // with its marks
	sqlMark            // a single other byte, or a parameter as $1
)

// sqlToken is a place in a text of SQL.
type sqlToken struct {
	kind       sqlKind
	start, end int // what the token says, without quotes
	next       int // where the next one begins
	cut        bool
}

// nextSQL gives the token at i. The dialects differ in whether a backslash
// escapes a quote, and in what double quotes are for: they hold a name here, and
// who expects a literal takes them for one.
func nextSQL(s string, i int, backslash bool) sqlToken {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	if i >= len(s) {
		return sqlToken{kind: sqlEnd, start: i, end: i, next: i}
	}
	c := s[i]
	switch {
	case c == '\'':
		return quotedSQL(s, i, sqlText, '\'', backslash)
	case c == '"' || c == '`':
		return quotedSQL(s, i, sqlName, c, backslash && c == '"')
	case c == '-' && strings.HasPrefix(s[i:], "--"), c == '#':
		return commentSQL(s, i, "\n")
	case c == '/' && strings.HasPrefix(s[i:], "/*"):
		return commentSQL(s, i, "*/")
	case c == '$' || c == ':' || c == '@' || c == '?':
		if end := alnum.run(s, i+1); end > i+1 && isDigit(s[i+1]) { // a parameter
			return sqlToken{kind: sqlMark, start: i, end: end, next: end}
		}
		if t, ok := dollarSQL(s, i); c == '$' && ok {
			return t
		}
	case isDigit(c):
		end := i
		for end < len(s) && (isWord(s[end]) || s[end] == '.') {
			end++
		}
		return sqlToken{kind: sqlNumber, start: i, end: end, next: end}
	case isLetter(c) || c == '_' || c >= 0x80:
		end := i
		for end < len(s) && (isWord(s[end]) || s[end] == '_' || s[end] == '$' || s[end] >= 0x80) {
			end++
		}
		return sqlToken{kind: sqlName, start: i, end: end, next: end}
	}
	return sqlToken{kind: sqlMark, start: i, end: i + 1, next: i + 1}
}

// quotedSQL reads to the closing quote; two of them are one inside.
func quotedSQL(s string, i int, kind sqlKind, quote byte, backslash bool) sqlToken {
	start := i + 1
	for i = start; i < len(s); i++ {
		switch {
		case s[i] == '\\' && backslash:
			i++
		case s[i] != quote:
		case i+1 < len(s) && s[i+1] == quote:
			i++
		default:
			return sqlToken{kind: kind, start: start, end: i, next: i + 1}
		}
	}
	return sqlToken{kind: kind, start: start, end: len(s), next: len(s), cut: true}
}

func commentSQL(s string, i int, end string) sqlToken {
	t := sqlToken{kind: sqlComment, start: i, end: len(s), next: len(s)}
	if n := strings.Index(s[i+1:], end); n >= 0 {
		t.end = i + 1 + n + len(end)
		t.next = t.end
	}
	return t
}

// dollarSQL reads a literal of PostgreSQL between $tag$ and $tag$.
func dollarSQL(s string, i int) (sqlToken, bool) {
	end := i + 1
	for end < len(s) && (isLetter(s[end]) || s[end] == '_') {
		end++
	}
	if end >= len(s) || s[end] != '$' {
		return sqlToken{}, false
	}
	tag := s[i : end+1]
	start := end + 1
	if n := strings.Index(s[start:], tag); n >= 0 {
		return sqlToken{kind: sqlText, start: start, end: start + n, next: start + n + len(tag)}, true
	}
	return sqlToken{kind: sqlText, start: start, end: len(s), next: len(s), cut: true}, true
}

// escapesSQL says whether backslashes escape quotes in s: where that leaves a
// literal open and the other reading does not, they do not.
func escapesSQL(s string) bool {
	return !endsCut(s, true) || endsCut(s, false)
}

func endsCut(s string, backslash bool) bool {
	for i := 0; ; {
		t := nextSQL(s, i, backslash)
		if t.cut {
			return true
		}
		if t.kind == sqlEnd {
			return false
		}
		i = t.next
	}
}
