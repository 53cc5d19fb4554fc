package requesteventreceiver

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Eight bytes at a time: a byte of x is zero where (x-ones)&^x has its high bit
// set; of several bits the lowest is right.
const (
	ones      = 0x0101010101010101
	highs     = 0x8080808080808080
	quotes    = ones * '"'
	backslash = ones * '\\'
)

// text passes the string at the current position and gives where its text lies,
// without its quotes and escapes.
func (s *scanner) text() (start, end uint32, ok bool) {
	line := s.line
	i := s.pos + 1
	first := i
	for i+8 <= len(line) {
		word := binary.LittleEndian.Uint64(line[i:])
		q, b := word^quotes, word^backslash
		if hit := ((q-ones)&^q | (b-ones)&^b) & highs; hit != 0 {
			i += bits.TrailingZeros64(hit) >> 3
			if line[i] == '"' {
				s.pos = i + 1
				return uint32(first), uint32(i), true
			}
			return s.escaped(first, i)
		}
		i += 8
	}
	for ; i < len(line); i++ {
		switch line[i] {
		case '"':
			s.pos = i + 1
			return uint32(first), uint32(i), true
		case '\\':
			return s.escaped(first, i)
		}
	}
	s.pos = len(line)
	return 0, 0, s.unexpected("the end of a string")
}

// escaped goes on with a string at its first backslash and undoes its escapes in
// place (RFC 8259, section 7). Escapes that are none, and surrogates without their
// other half, stay as they are written: no text of UTF-8 can hold them.
func (s *scanner) escaped(first, i int) (start, end uint32, ok bool) {
	line := s.line
	to := i
	for i < len(line) {
		switch c := line[i]; {
		case c == '"':
			s.pos = i + 1
			return uint32(first), uint32(to), true
		case c != '\\':
			line[to] = c
			to, i = to+1, i+1
		case i+1 >= len(line):
			i++
		default:
			n, read := unescape(line[to:to:len(line)], line[i:])
			to, i = to+n, i+read
		}
	}
	s.pos = len(line)
	return 0, 0, s.unexpected("the end of a string")
}

// maxEscape is the longest escape: \ud83d\ude00.
const maxEscape = 12

// unescape appends to dst what the escape at the begin of from stands for, which is
// never longer than the escape, and gives how many bytes it wrote and read. dst may
// be the memory before from.
func unescape(dst, from []byte) (wrote, read int) {
	switch from[1] {
	case '"', '\\', '/':
		return len(append(dst, from[1])), 2
	case 'b':
		return len(append(dst, '\b')), 2
	case 'f':
		return len(append(dst, '\f')), 2
	case 'n':
		return len(append(dst, '\n')), 2
	case 'r':
		return len(append(dst, '\r')), 2
	case 't':
		return len(append(dst, '\t')), 2
	case 'u':
		r, ok := hexRune(from[2:])
		if !ok {
			return len(append(dst, '\\', 'u')), 2
		}
		if !utf16.IsSurrogate(r) {
			return len(utf8.AppendRune(dst, r)), 6
		}
		if len(from) >= maxEscape && from[6] == '\\' && from[7] == 'u' {
			if low, ok := hexRune(from[8:]); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return len(utf8.AppendRune(dst, pair)), maxEscape
				}
			}
		}
		return len(append(dst, from[:6]...)), 6
	}
	return len(append(dst, '\\')), 1 // what follows is text
}

// hexRune reads four hexadecimal digits.
func hexRune(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		v := hexDigits[c]
		if v < 0 {
			return 0, false
		}
		r = r<<4 | rune(v)
	}
	return r, true
}

// hexDigits gives the value of each hexadecimal digit, and -1 for other bytes.
var hexDigits = func() (digits [256]int8) {
	for i := range digits {
		digits[i] = -1
	}
	for i := range int8(10) {
		digits['0'+i] = i
	}
	for i := range int8(6) {
		digits['a'+i], digits['A'+i] = 10+i, 10+i
	}
	return digits
}()
