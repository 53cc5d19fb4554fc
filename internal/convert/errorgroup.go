package convert

import "github.com/cespare/xxhash/v2"

// errorGroup gives the group of an error: equal for errors of one type whose
// messages differ only in values (digits, hexadecimal, quoted text). It is 0 for
// no error.
func errorGroup(service, typ, message string) uint64 {
	if typ == "" && message == "" {
		return 0
	}
	var buf [256]byte
	b := append(buf[:0], service...)
	b = append(b, 0)
	b = append(b, typ...)
	b = append(b, 0)
	b = appendShape(b, message)
	if h := xxhash.Sum64(b); h != 0 {
		return h
	}
	return 1
}

// maxShape is how much of a message counts: enough to tell messages apart, and
// a bound on what a hostile one costs.
const maxShape = 200

// appendShape appends the message with values cut out: runs of letters and
// digits that hold a digit become #, and so does what stands in quotes.
func appendShape(b []byte, s string) []byte {
	if len(s) > maxShape {
		s = s[:maxShape]
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c == '"' || c == '\'' || c == '`' {
			j := i + 1
			for j < len(s) && s[j] != c {
				j++
			}
			if j < len(s) && (c != '\'' || i == 0 || !wordByte(s[i-1])) { // not the apostrophe of don't
				b = append(b, '#')
				i = j + 1
				continue
			}
			b = append(b, c)
			i++
			continue
		}
		if !wordByte(c) {
			b = append(b, c)
			i++
			continue
		}
		j, digit := i, false
		for j < len(s) && wordByte(s[j]) {
			digit = digit || (s[j] >= '0' && s[j] <= '9')
			j++
		}
		if digit {
			b = append(b, '#')
		} else {
			b = append(b, s[i:j]...)
		}
		i = j
	}
	return b
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80
}
