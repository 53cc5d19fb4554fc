package requesteventreceiver

import (
	"math"
	"strconv"
	"strings"
)

// number passes the number at the current position, by the grammar of RFC 8259,
// section 6, or the words that stand for what JSON has no number for.
func (s *scanner) number(node int) bool {
	line, i := s.line, s.pos
	if i < len(line) && line[i] == '-' {
		i++
	}
	k := kindWhole
	switch {
	case i >= len(line):
		return s.unexpected("a value")
	case line[i] == '0':
		i++
	case line[i] >= '1' && line[i] <= '9':
		i = digits(line, i)
	default:
		if i = special(line, i); i < 0 {
			return s.unexpected("a value")
		}
		k = kindSpecial
	}
	if k == kindWhole && i < len(line) && line[i] == '.' {
		end := digits(line, i+1)
		if end == i+1 {
			return s.unexpected("a number")
		}
		i, k = end, kindDecimal
	}
	if k != kindSpecial && i < len(line) && line[i]|0x20 == 'e' {
		begin := i + 1
		if begin < len(line) && (line[begin] == '+' || line[begin] == '-') {
			begin++
		}
		end := digits(line, begin)
		if end == begin {
			return s.unexpected("a number")
		}
		i, k = end, kindDecimal
	}
	n := &s.nodes[node]
	n.kind, n.start, n.end = k, uint32(s.pos), uint32(i)
	s.pos = i
	return true
}

// digits gives the index behind the digits at i.
func digits(line []byte, i int) int {
	for i < len(line) && line[i]-'0' <= 9 {
		i++
	}
	return i
}

// specials are what writers of JSON make of doubles that are no numbers.
var specials = []string{"nan", "infinity", "inf"}

// special gives the index behind one of specials at i, or -1.
func special(line []byte, i int) int {
	for _, word := range specials {
		if end := i + len(word); end <= len(line) && strings.EqualFold(view(line[i:end]), word) {
			return end
		}
	}
	return -1
}

// maxPlainDigits is how many digits always fit an int64.
const maxPlainDigits = 18

// wholeOf gives the value of a kindWhole that fits an int64.
func (s *scanner) wholeOf(n *node) (int64, bool) {
	text := s.textOf(n)
	if len(text) > maxPlainDigits {
		v, err := strconv.ParseInt(text, 10, 64)
		return v, err == nil
	}
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	var v int64
	for i := range len(text) {
		v = v*10 + int64(text[i]-'0')
	}
	if negative {
		v = -v
	}
	return v, true
}

// doubleOf gives the value of any number; ok is false when no double can hold it.
func (s *scanner) doubleOf(n *node) (v float64, ok bool) {
	v, err := strconv.ParseFloat(s.textOf(n), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func (k kind) isNumber() bool { return k == kindWhole || k == kindDecimal || k == kindSpecial }
