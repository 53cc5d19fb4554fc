package fingerprint

// appendShape appends s with its values cut out, at most limit bytes: # stands for
// words that hold a digit, for long hexadecimal, UUIDs, e-mail addresses and what
// stands in quotes; numbers joined by punctuation, as in addresses and times, are
// one value, and white space of any length is one space.
func appendShape(b []byte, s string, limit int) []byte {
	start := len(b)
	for i := 0; i < len(s) && len(b)-start < limit; {
		c := s[i]
		switch {
		case isQuote(c):
			if end := quoted(s, i); end > 0 {
				b = appendValue(b, start)
				i = end
				continue
			}
			b = append(b, c)
			i++
		case wordByte(c):
			end, value := word(s, i)
			if value {
				b = appendValue(b, start)
			} else {
				b = append(b, s[i:end]...)
			}
			i = end
		case isSpace(c):
			if len(b) > start && b[len(b)-1] != ' ' {
				b = append(b, ' ')
			}
			i++
		default:
			b = append(b, c)
			i++
		}
	}
	if len(b)-start > limit {
		b = b[:start+limit]
	}
	return b
}

// appendValue appends a # for a value. It goes together with a value before it
// that punctuation joins, and takes its sign.
func appendValue(b []byte, start int) []byte {
	n := len(b)
	if n-start >= 1 && isJoint(b[n-1]) {
		if n-start >= 2 && b[n-2] == '#' {
			return b[:n-1]
		}
		if sign := b[n-1] == '-' || b[n-1] == '+'; sign && (n-start == 1 || !wordByte(b[n-2])) {
			b = b[:n-1]
		}
	}
	return append(b, '#')
}

func isJoint(c byte) bool { return c == '.' || c == ':' || c == ',' || c == '-' || c == '+' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// quoted gives the end of what the quote at i opens, 0 if it opens nothing: it is
// not closed, or is the apostrophe of don't.
func quoted(s string, i int) int {
	if s[i] == '\'' && i > 0 && wordByte(s[i-1]) {
		return 0
	}
	for j := i + 1; j < len(s); j++ {
		if s[j] == s[i] {
			return j + 1
		}
	}
	return 0
}

// word gives the end of the word at i and whether it is a value: one with a digit,
// a hash without, a UUID or an e-mail address.
func word(s string, i int) (end int, value bool) {
	if n := uuid(s[i:]); n > 0 {
		return i + n, true
	}
	hex := true
	j := i
	for ; j < len(s) && wordByte(s[j]); j++ {
		value = value || isDigit(s[j])
		hex = hex && isHex(s[j])
	}
	if j+1 < len(s) && s[j] == '@' && wordByte(s[j+1]) {
		for j++; j < len(s) && (wordByte(s[j]) || (s[j] == '.' || s[j] == '-') && j+1 < len(s) && wordByte(s[j+1])); j++ {
		}
		return j, true
	}
	return j, value || hex && j-i >= minHash
}

// minHash is the shortest hash that may lack a digit: no English word of this
// length is made of a to f.
const minHash = 8

// uuidLen is the length of a UUID's text form (RFC 9562, section 4).
const uuidLen = 36

func uuid(s string) int {
	if len(s) < uuidLen || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return 0
	}
	for i := range uuidLen {
		if i != 8 && i != 13 && i != 18 && i != 23 && !isHex(s[i]) {
			return 0
		}
	}
	return uuidLen
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// wordByte counts every byte of a rune beyond ASCII as a letter.
func wordByte(c byte) bool { return isDigit(c) || isLetter(c) || c == '_' || c >= 0x80 }
