package requestredactionprocessor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ssnContext is how far in front of a number its name is looked for, in bytes.
const ssnContext = 32

// findSSNs finds social security numbers of the United States: three, two and
// four digits between hyphens that may be issued (no area 000, 666 or 9xx, no
// group 00, no serial 0000). With spaces, or without anything between, only
// where the text in front names them: log lines are full of such numbers.
func findSSNs(s string, found []span) []span {
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
		if startsNumber(s, i) && (i < 2 || s[i-1] != '-' || !isWord(s[i-2])) {
			if end := ssnEnd(s, i); end > 0 {
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

func ssnEnd(s string, start int) int {
	var digits [9]byte
	i, hyphens, spaces := start, 0, 0
	for n := range digits {
		if n == 3 || n == 5 {
			if r, size := utf8.DecodeRuneInString(s[i:]); r == '-' || unicode.Is(unicode.Pd, r) {
				hyphens++
				i += size
			} else if r == ' ' || unicode.Is(unicode.Zs, r) {
				spaces++
				i += size
			}
		}
		value, size, ok := digitAt(s, i)
		if !ok {
			return 0
		}
		digits[n] = value
		i += size
	}
	if _, _, more := digitAt(s, i); more || !endsNumber(s, i) || i+1 < len(s) && s[i] == '-' && isWord(s[i+1]) {
		return 0
	}
	area := int(digits[0])*100 + int(digits[1])*10 + int(digits[2])
	if area == 0 || area == 666 || area >= 900 || digits[3]+digits[4] == 0 || digits[5]+digits[6]+digits[7]+digits[8] == 0 {
		return 0
	}
	if hyphens == 2 {
		return i
	}
	if hyphens == 0 && spaces != 1 && isNamedSSN(s[max(0, start-ssnContext):start]) {
		return i
	}
	return 0
}

// isNamedSSN says whether the text in front of a number names it.
func isNamedSSN(before string) bool {
	lower := strings.ToLower(before)
	if strings.Contains(lower, "social sec") {
		return true
	}
	i := strings.LastIndex(lower, "ssn")
	if i < 0 || len(lower) != len(before) || i+3 < len(before) && isLetter(before[i+3]) {
		return false
	}
	return i == 0 || !isLetter(before[i-1]) || before[i] == 'S' // userSSN
}
