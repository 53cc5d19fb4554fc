package filter

import (
	"unicode"
	"unicode/utf8"
)

// foldFinder looks for a text without regard to case, without allocating.
type foldFinder struct {
	runes []rune // each the least of its orbit
	// first says with which bytes a character can begin that equals the first one.
	first [256]bool
}

func newFoldFinder(text string) foldFinder {
	var f foldFinder
	for _, r := range text {
		if len(f.runes) == 0 {
			for _, same := range orbit(r) {
				var buf [utf8.UTFMax]byte
				utf8.EncodeRune(buf[:], same)
				f.first[buf[0]] = true
			}
		}
		f.runes = append(f.runes, leastFold(r))
	}
	return f
}

// in says whether s holds the text. Bytes that are no UTF-8 equal nothing.
func (f *foldFinder) in(s string) bool {
	for i := range len(s) {
		if f.first[s[i]] && f.at(s[i:]) {
			return true
		}
	}
	return false
}

func (f *foldFinder) at(s string) bool {
	for _, want := range f.runes {
		if s == "" {
			return false
		}
		r, size := rune(s[0]), 1
		if r >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(s); r == utf8.RuneError && size == 1 {
				return false
			}
		}
		if leastFold(r) != want {
			return false
		}
		s = s[size:]
	}
	return true
}

// leastFold is the least character that r equals when folded.
func leastFold(r rune) rune {
	if r < utf8.RuneSelf {
		// The least is the capital letter; K and S have larger equals outside ASCII.
		if r >= 'a' && r <= 'z' {
			return r - ('a' - 'A')
		}
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
