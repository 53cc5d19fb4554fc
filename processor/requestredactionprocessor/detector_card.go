package requestredactionprocessor

import (
	"unicode"
	"unicode/utf8"
)

// maxCardDigits is the longest number of ISO/IEC 7812.
const maxCardDigits = 19

// findCards finds payment card numbers: digits of any script, together or in the
// usual groups, whose prefix and length are those of a network and whose last
// digit is right by Luhn's formula. What is longer, touches letters, or is the
// fraction of a number is none.
func findCards(s string, found []span) []span {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf && !isDigit(c) {
			i++
			continue
		}
		_, size, ok := digitAt(s, i)
		if !ok {
			i += size
			continue
		}
		if startsNumber(s, i) {
			if end := cardEnd(s, i); end > 0 {
				found = append(found, span{start: i, end: end})
				i = end
				continue
			}
		}
		for ok {
			i += size
			_, size, ok = digitAt(s, i)
		}
	}
	return found
}

// digitAt gives the value of the decimal digit at i, and the size of the
// character there in any case.
func digitAt(s string, i int) (value byte, size int, ok bool) {
	if i >= len(s) {
		return 0, 0, false
	}
	if c := s[i]; c < utf8.RuneSelf {
		return c - '0', 1, isDigit(c)
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if !unicode.Is(unicode.Nd, r) {
		return 0, size, false
	}
	for _, t := range unicode.Nd.R16 {
		if r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10), size, true
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10), size, true
		}
	}
	return 0, size, false
}

// startsNumber says whether an integer can begin at i: 1.41 has none behind its
// point.
func startsNumber(s string, i int) bool {
	if !startsWord(s, i) {
		return false
	}
	return i < 2 || s[i-1] != '.' || !isDigit(s[i-2])
}

func endsNumber(s string, i int) bool {
	if !endsWord(s, i) {
		return false
	}
	return i+1 >= len(s) || s[i] != '.' || !isDigit(s[i+1])
}

// groupings are the ways in which card numbers are written, as group lengths.
var groupings = [...][]uint8{
	{4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}, {4, 4, 4, 4, 3}, {4, 4, 4, 4, 2}, {4, 4, 4, 4, 1}, {4, 4, 4, 1}, {4, 4, 5}, {6, 13}, {8, 8},
}

// cardEnd gives the end of the card number that begins at i, or 0.
func cardEnd(s string, i int) int {
	var (
		digits [maxCardDigits]byte
		groups [8]uint8
		n, g   int
		sep    rune
		end    int
	)
	for {
		value, size, ok := digitAt(s, i)
		if ok {
			if n == maxCardDigits {
				return end
			}
			digits[n] = value
			n++
			groups[g]++
			i += size
			continue
		}
		if endsNumber(s, i) && isGrouped(groups[:g+1]) && isCard(digits[:n]) {
			end = i
		}
		r, next := separatorAt(s, i)
		if r == 0 || sep != 0 && r != sep || g+1 == len(groups) {
			return end
		}
		sep, i = r, next
		g++
	}
}

func isGrouped(groups []uint8) bool {
	if len(groups) == 1 {
		return true
	}
	for _, want := range groupings {
		if string(want) == string(groups) {
			return true
		}
	}
	return false
}

// separatorAt gives what separates groups of digits at i and where the digit
// behind it is; 0 when nothing does. Characters without a width do not count.
func separatorAt(s string, i int) (rune, int) {
	var sep rune
	for n := 0; n < 4; n++ { // "1 - 2" is the widest
		if _, _, ok := digitAt(s, i); ok {
			return sep, i
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case size == 0:
			return 0, i
		case isInvisible(r):
			if sep == 0 {
				sep = r
			}
		case r == ' ' || r == '-' || r == '.' || r == '_' || r == '+' || r == '/' || unicode.Is(unicode.Pd, r) || unicode.Is(unicode.Zs, r):
			if sep == 0 || sep == ' ' || isInvisible(sep) {
				sep = r
			} else if r != ' ' && r != sep {
				return 0, i
			}
		default:
			return 0, i
		}
		i += size
	}
	return 0, i
}

func isInvisible(r rune) bool { return r >= 0xad && unicode.Is(unicode.Cf, r) }

// isCard says whether digits are a number of a known network.
func isCard(digits []byte) bool {
	return isIssued(digits) && luhn(digits)
}

// isIssued checks prefix and length by the ranges the networks publish. Numbers
// that begin with 0, 1, 7 and 9 are of airlines, telecoms and health care, and
// most timestamps; they are no cards.
func isIssued(digits []byte) bool {
	n := len(digits)
	if n < 12 {
		return false
	}
	prefix := 0
	for _, d := range digits[:6] {
		prefix = prefix*10 + int(d)
	}
	p4, p3, p2 := prefix/100, prefix/1000, prefix/10000
	switch {
	case digits[0] == 4: // Visa; of 13 digits none are issued any more, and goods of half of Europe have such numbers (EAN-13)
		return n == 16 || n == 19
	case p2 >= 51 && p2 <= 55, p4 >= 2221 && p4 <= 2720, p4 >= 2200 && p4 <= 2204: // Mastercard, Mir
		return n == 16
	case p2 == 34, p2 == 37: // American Express
		return n == 15
	case p3 >= 300 && p3 <= 305, p2 == 36, p2 == 38, p2 == 39: // Diners Club
		return n == 14 || n == 16
	case p4 >= 3528 && p4 <= 3589: // JCB
		return n >= 16
	case p4 == 6011, p3 >= 644 && p3 <= 649, p2 == 65, p2 == 60, p2 == 62, p2 == 81: // Discover, RuPay, UnionPay
		return n >= 16
	case p4 == 5018, p4 == 5020, p4 == 5038, p4 == 5893, p4 == 6304, p4 == 6759, p4 >= 6761 && p4 <= 6763: // Maestro
		return true
	}
	return false
}

// luhn checks the last digit (ISO/IEC 7812-1, annex B).
func luhn(digits []byte) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
