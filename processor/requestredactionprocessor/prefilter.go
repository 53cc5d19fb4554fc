package requestredactionprocessor

import (
	"math"
	"math/bits"
)

// clue is a set of what a text contains and a detector or walker needs: one loop
// over the bytes tells which of them are worth running. Nearly all values of a
// real request have none.
type clue uint32

const (
	clueAt      clue = 1 << iota // @
	cluePercent                  // %
	clueEscape                   // a backslash
	clueColon                    // :
	clueDot                      // .
	clueDash                     // -
	clueLetter                   // of ASCII
	clueWide                     // a byte that is not ASCII
	clueJWT                      // what base64 of { begins with
	cluePEM                      // -BEG
	clueScheme                   // an authentication scheme
	clueCloud                    // what keys of cloud services contain
	clueMember                   // a quote and a colon: a member of a JSON object
	clueURL                      // ://
	clueQuery                    // ? or #
	clueIBAN                     // two letters and two digits
	clueDigits7                  // at least so many digits
	clueNumber9                  // so many without a letter between them
	clueNumber12
	cluePair // =

	// clueDigit is of a byte; they are counted.
	clueDigit clue = 1 << 31
)

// literal is a short text that is looked for everywhere at once; each string
// lists the bytes accepted in its place.
type literal struct {
	clue  clue
	bytes []string
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

var literals = []literal{
	{clueIBAN, []string{letters, letters, digits, digits}},
	{clueJWT, []string{"e", "yw", "JA0o"}},
	{cluePEM, []string{"-", "B", "E", "G"}},
	{clueScheme, []string{"rR", "eE", "rR", " \t:=+%\\"}}, // bearer
	{clueScheme, []string{"sS", "iI", "cC", " \t:=+%\\"}}, // basic
	{clueMember, []string{`"`, ": \t"}},
	{clueURL, []string{":", "/", "/"}},
	{clueCloud, []string{"A", "KSRBCI", "IOCz", "Aa"}}, // AKIA, ASIA …, AIza
	{clueCloud, []string{"h", "pousr", "_"}},           // ghp_, gho_ …
	{clueCloud, []string{"p", "a", "t", "_-"}},         // github_pat_, glpat-, dckr_pat_
	{clueCloud, []string{"x", "oa", "xp"}},             // xoxb-, xapp-
	{clueCloud, []string{"sr", "k", "_", "lt"}},        // sk_live_, rk_test_
	{clueCloud, []string{"w", "h", "s", "e"}},          // whsec_
	{clueCloud, []string{"y", "a", "2", "9"}},          // ya29.
	{clueCloud, []string{"eE", "yY", "=:\"' %\\"}},     // AccountKey=, secret_access_key =
	{clueCloud, []string{"s", "i", "g", "=%"}},         // a shared access signature
	{clueCloud, []string{"s", "k", "-"}},               // sk-proj-, sk-ant-
	{clueCloud, []string{"h", "o", "o", "k"}},          // hooks.slack.com, api/webhooks
	{clueCloud, []string{"n", "p", "m", "_"}},
	{clueCloud, []string{"S", "G", "."}},
	{clueCloud, []string{"G", "O", "C", "S"}}, // GOCSPX-
	{clueCloud, []string{"1", "/", "/", "0"}}, // refresh token of Google
	{clueCloud, []string{"78", "Q", "~"}},     // client secret of Azure
	{clueCloud, []string{"h", "v", "s", "."}}, // Vault
	{clueCloud, []string{"p", "y", "p", "i"}},
	{clueCloud, []string{"_", "v", "1", "_"}}, // dop_v1_
	{clueCloud, []string{"h", "f", "_"}},
}

// prefilter matches all literals at once by shift-and (Baeza-Yates and Gonnet,
// "A new approach to text searching", 1992): bit i of the state is set when the
// text ends in the first bytes of a literal up to place i. Two words hold 128
// places.
type prefilter struct {
	bytes        [256]byteInfo
	first, final [2]uint64
	clues        [128]clue // of the literal that ends at a place
}

type byteInfo struct {
	accepts [2]uint64
	clue    clue
	keeps   uint32 // all bits, or none of a letter, which ends a number
}

// filter is immutable and shared: literals and classes do not depend on the
// configuration, which only decides what is done with a clue.
var filter = newPrefilter()

func newPrefilter() *prefilter {
	f := &prefilter{}
	for c := range 256 {
		f.bytes[c].clue = classOf(byte(c))
		if f.bytes[c].clue != clueLetter {
			f.bytes[c].keeps = math.MaxUint32
		}
	}
	place := 0
	for _, l := range literals {
		if place/64 != (place+len(l.bytes)-1)/64 {
			place = 64 // a literal does not cross words
		}
		word := place / 64
		f.first[word] |= 1 << (place % 64)
		for _, accepted := range l.bytes {
			for i := range len(accepted) {
				f.bytes[accepted[i]].accepts[word] |= 1 << (place % 64)
			}
			place++
		}
		f.final[word] |= 1 << ((place - 1) % 64)
		f.clues[place-1] = l.clue
	}
	return f
}

func classOf(c byte) clue {
	switch {
	case c >= 0x80:
		return clueWide
	case isDigit(c):
		return clueDigit
	case isLetter(c):
		return clueLetter
	}
	switch c {
	case '@':
		return clueAt
	case '%':
		return cluePercent
	case '\\':
		return clueEscape
	case ':':
		return clueColon
	case '=':
		return cluePair
	case '.':
		return clueDot
	case '-':
		return clueDash
	case '?', '#':
		return clueQuery
	}
	return 0
}

// of gives the clues in s.
func (f *prefilter) of(s string) clue {
	var (
		found          clue
		digits         int
		number, most   uint32
		a, b, hitA, hB uint64
		first, final   = f.first, f.final
	)
	for i := range len(s) {
		info := &f.bytes[s[i]]
		a = (a<<1 | first[0]) & info.accepts[0]
		b = (b<<1 | first[1]) & info.accepts[1]
		hitA |= a
		hB |= b
		found |= info.clue
		digit := uint32(info.clue >> 31)
		digits += int(digit)
		number = (number + digit) & info.keeps
		most = max(most, number)
	}
	for hitA &= final[0]; hitA != 0; hitA &= hitA - 1 {
		found |= f.clues[bits.TrailingZeros64(hitA)]
	}
	for hB &= final[1]; hB != 0; hB &= hB - 1 {
		found |= f.clues[64+bits.TrailingZeros64(hB)]
	}
	// Digits of other scripts take two bytes and more.
	if found&clueWide != 0 {
		wide := 0
		for i := range len(s) {
			if s[i] >= 0x80 {
				wide++
			}
		}
		digits += wide / 2
		most += uint32(wide / 2)
	}
	if digits >= 7 {
		found |= clueDigits7
	}
	if most >= 9 {
		found |= clueNumber9
	}
	if most >= 12 {
		found |= clueNumber12
	}
	return found &^ clueDigit
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return (c|0x20) >= 'a' && (c|0x20) <= 'z' }
func isWord(c byte) bool   { return isDigit(c) || isLetter(c) }
