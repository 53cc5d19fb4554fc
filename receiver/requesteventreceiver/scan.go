package requesteventreceiver

import (
	"bytes"
	"fmt"
	"iter"
)

const (
	// maxDepth bounds how deep objects and arrays are nested in each other: far
	// above what senders nest, far below what a stack holds.
	maxDepth = 300
	// maxValues bounds the JSON values of a line. A node of the scanner has 28
	// bytes, so that a line of commas would otherwise cost fourteen times its length.
	maxValues = 16 << 10
)

// kind is what a JSON value is.
type kind uint8

const (
	kindNull kind = iota
	kindTrue
	kindFalse
	kindWhole   // a number of digits, perhaps with a sign
	kindDecimal // a number with a fraction or an exponent
	kindSpecial // NaN, inf or Infinity, which are no JSON but what many write
	kindString
	kindArray
	kindObject
)

// node is one JSON value of a line. Offsets are bytes of the line.
type node struct {
	keyStart, keyEnd uint32 // of the name of a member of an object
	start, end       uint32 // of a string's text without its quotes, of anything else as it is written
	next             uint32 // index of the first node that is not inside this one
	members          uint32 // of an object or array
	kind             kind
}

// scanner parses a line in one pass into nodes, in the order of the text: what is
// inside a node follows it. It takes JSON (RFC 8259) and, beyond it, control
// characters and unknown escapes in strings, which stay as they are written.
// Escapes are undone in the line itself, where the text can only become shorter.
type scanner struct {
	line       []byte
	pos        int
	nodes      []node
	maxMembers int
	tooWide    bool // some object has more members than maxMembers
	failure    *lineError
}

// scan parses a line, which it writes to. The root is the first node.
func (s *scanner) scan(line []byte) *lineError {
	s.line, s.pos, s.nodes, s.tooWide, s.failure = line, 0, s.nodes[:0], false, nil
	s.skipSpace()
	if !s.value(0, 0, 0) {
		return s.failure
	}
	s.skipSpace()
	if s.pos < len(line) {
		s.unexpected("nothing behind the object")
		return s.failure
	}
	return nil
}

// unexpected fails at the current position.
func (s *scanner) unexpected(expected string) bool {
	got := "the end of the line"
	if s.pos < len(s.line) {
		got = fmt.Sprintf("%q", cut(string(s.line[s.pos:min(len(s.line), s.pos+8)]), 8))
	}
	s.failure = rejectLine(reasonInvalidJSON, "line: want one JSON object: byte %d: want %s, got %s", s.pos+1, expected, got)
	return false
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.line) {
		switch s.line[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// value parses the value at the current position.
func (s *scanner) value(keyStart, keyEnd uint32, depth int) bool {
	if s.pos >= len(s.line) {
		return s.unexpected("a value")
	}
	i := len(s.nodes)
	if i >= maxValues {
		s.failure = rejectLine(reasonTooMany, "line: want at most %d JSON values", maxValues)
		return false
	}
	s.nodes = append(s.nodes, node{keyStart: keyStart, keyEnd: keyEnd, next: uint32(i + 1)})
	switch c := s.line[s.pos]; c {
	case '"':
		start, end, ok := s.text()
		if !ok {
			return false
		}
		n := &s.nodes[i]
		n.kind, n.start, n.end = kindString, start, end
		return true
	case '{', '[':
		if depth >= maxDepth {
			s.failure = rejectLine(reasonInvalidJSON, "line: want objects and arrays nested at most %d deep", maxDepth)
			return false
		}
		if c == '{' {
			return s.object(i, depth+1)
		}
		return s.array(i, depth+1)
	case 't':
		return s.word(i, "true", kindTrue)
	case 'f':
		return s.word(i, "false", kindFalse)
	case 'n':
		if bytes.HasPrefix(s.line[s.pos:], []byte("null")) {
			return s.word(i, "null", kindNull)
		}
	}
	return s.number(i)
}

func (s *scanner) word(i int, word string, k kind) bool {
	end := s.pos + len(word)
	if end > len(s.line) || string(s.line[s.pos:end]) != word {
		return s.unexpected("a value")
	}
	n := &s.nodes[i]
	n.kind, n.start, n.end = k, uint32(s.pos), uint32(end)
	s.pos = end
	return true
}

// object parses the object whose node is the i-th.
func (s *scanner) object(i, depth int) bool {
	start := s.pos
	members := 0
	s.pos++
	s.skipSpace()
	if s.pos < len(s.line) && s.line[s.pos] == '}' {
		s.pos++
		return s.closed(i, start, members, kindObject)
	}
	for {
		if s.pos >= len(s.line) || s.line[s.pos] != '"' {
			return s.unexpected("a key in quotes")
		}
		keyStart, keyEnd, ok := s.text()
		if !ok {
			return false
		}
		if s.pos >= len(s.line) || s.line[s.pos] != ':' {
			s.skipSpace()
			if s.pos >= len(s.line) || s.line[s.pos] != ':' {
				return s.unexpected("':'")
			}
		}
		s.pos++
		if s.pos < len(s.line) && s.line[s.pos] <= ' ' {
			s.skipSpace()
		}
		if s.pos < len(s.line) && s.line[s.pos] == '"' && len(s.nodes) < maxValues {
			// Most values are texts: without a call of value.
			textStart, textEnd, ok := s.text()
			if !ok {
				return false
			}
			s.nodes = append(s.nodes, node{
				keyStart: keyStart, keyEnd: keyEnd, start: textStart, end: textEnd, next: uint32(len(s.nodes) + 1), kind: kindString,
			})
		} else if !s.value(keyStart, keyEnd, depth) {
			return false
		}
		members++
		switch s.separator('}') {
		case '}':
			s.tooWide = s.tooWide || members > s.maxMembers
			return s.closed(i, start, members, kindObject)
		case 0:
			return s.unexpected("',' or '}'")
		}
	}
}

// array parses the array whose node is the i-th.
func (s *scanner) array(i, depth int) bool {
	start := s.pos
	members := 0
	s.pos++
	s.skipSpace()
	if s.pos < len(s.line) && s.line[s.pos] == ']' {
		s.pos++
		return s.closed(i, start, members, kindArray)
	}
	for {
		if !s.value(0, 0, depth) {
			return false
		}
		members++
		switch s.separator(']') {
		case ']':
			return s.closed(i, start, members, kindArray)
		case 0:
			return s.unexpected("',' or ']'")
		}
	}
}

// separator passes a comma, and what is blank behind it, or the closing bracket,
// and gives which it was; 0 is neither.
func (s *scanner) separator(closing byte) byte {
	if s.pos < len(s.line) && s.line[s.pos] <= ' ' {
		s.skipSpace()
	}
	if s.pos >= len(s.line) {
		return 0
	}
	c := s.line[s.pos]
	if c != ',' && c != closing {
		return 0
	}
	s.pos++
	if c == ',' && s.pos < len(s.line) && s.line[s.pos] <= ' ' {
		s.skipSpace()
	}
	return c
}

func (s *scanner) closed(i, start, members int, k kind) bool {
	n := &s.nodes[i]
	n.kind, n.start, n.end = k, uint32(start), uint32(s.pos)
	n.members, n.next = uint32(members), uint32(len(s.nodes))
	return true
}

// at gives the node of an index.
func (s *scanner) at(i uint32) *node { return &s.nodes[i] }

// textOf gives the text of a string, and anything else as it is written. It is
// memory of the line.
func (s *scanner) textOf(n *node) string { return view(s.line[n.start:n.end]) }

// keyOf gives the name of a member.
func (s *scanner) keyOf(n *node) string { return view(s.line[n.keyStart:n.keyEnd]) }

// children gives the members of an object, or the elements of an array, by index.
func (s *scanner) children(parent uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, end := parent+1, s.nodes[parent].next; i < end; i = s.nodes[i].next {
			if !yield(i) {
				return
			}
		}
	}
}

// member gives the last member of that name, as nearly every reader of JSON does;
// 0 when there is none, or null.
func (s *scanner) member(object uint32, name string) (found uint32) {
	for i := range s.children(object) {
		if n := s.at(i); n.kind != kindNull && s.keyOf(n) == name {
			found = i
		}
	}
	return found
}
