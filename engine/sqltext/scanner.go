package sqltext

import "unicode/utf8"

// maxName bounds what a CallScanner keeps of a name; longer ones match nothing.
const maxName = 256

// CallScanner finds the calls in a text that comes in pieces, such as the rows of
// an INSERT … VALUES, whose values may be expressions. It keeps only the last
// name. The zero value is ready.
type CallScanner struct {
	// Foreign says that a byte beyond ASCII came outside quotes and comments. The
	// engine takes typographic quotation marks for quotes, this scanner does not.
	Foreign bool

	name    []byte // the last name, with its quotes
	state   byte   // 0; a quote; '-' in a line comment; '*' in a block comment
	escaped bool   // the byte before was a backslash, in a quote
	last    byte   // the byte before, outside quotes or in a comment
	blank   bool   // blanks or comments stand behind the name
}

// Scan reads the next piece and hands every name that an opening bracket follows
// to found, as Calls gives them.
func (s *CallScanner) Scan(piece []byte, found func(name string)) {
	for _, c := range piece {
		s.step(c, found)
	}
}

func (s *CallScanner) step(c byte, found func(string)) {
	switch s.state {
	case '\'':
		s.inQuote(c, false)
		return
	case '"', '`':
		s.inQuote(c, true)
		return
	case '-':
		if c == '\n' {
			s.state, s.last = 0, 0
		}
		return
	case '*':
		if s.last == '*' && c == '/' {
			s.state, c = 0, 0
		}
		s.last = c
		return
	}
	last := s.last
	s.last = c
	s.Foreign = s.Foreign || c >= utf8.RuneSelf
	switch {
	case c == '\'':
		s.name, s.state = s.name[:0], c
	case c == '"' || c == '`':
		if n := len(s.name); s.blank || n < 2 || s.name[0] != c || s.name[n-1] != c {
			s.name = s.name[:0] // else a doubled quote: the name goes on
		}
		s.state = c
		s.keep(c)
	case c == '-' && last == '-':
		s.state = '-'
	case c == '*' && last == '/':
		s.state, s.last = '*', 0
	case c == '-' || c == '/':
		s.blank = true // perhaps a comment; an operator is followed by another name
	case isSpace(c):
		s.blank = true
	case isWord(c):
		if s.blank || len(s.name) > 0 && (s.name[0] == '"' || s.name[0] == '`') {
			s.name = s.name[:0]
		}
		s.blank = false
		s.keep(c)
	case c == '(':
		if len(s.name) > 0 && len(s.name) < maxName {
			l := &lexer{text: string(s.name)}
			found(callName(l.value(l.next())))
		}
		s.name = s.name[:0]
	default:
		s.name, s.blank = s.name[:0], false
	}
}

func (s *CallScanner) inQuote(c byte, name bool) {
	if name {
		s.keep(c)
	}
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == s.state:
		s.state, s.last, s.blank = 0, 0, false
	}
}

func (s *CallScanner) keep(c byte) {
	if len(s.name) < maxName {
		s.name = append(s.name, c)
	}
}
