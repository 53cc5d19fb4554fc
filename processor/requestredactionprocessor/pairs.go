package requestredactionprocessor

import (
	"strings"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// maxPairKey is the longest key of a pair that is looked for in a text, in bytes.
const maxPairKey = 128

var (
	pairKey  = newCharset("09AZaz__--..")
	pairEnds = newCharset("\x00 \"\"''``<<||") // controls and blanks too
)

// pairs redacts the values of keys that are named, where prose, logs and dumps of
// settings write them as key=value, key: value, 'key' => 'value' or --key value.
func (p *pass) pairs(s string, c clue) (string, bool) {
	e := edit{text: s}
	for i := 0; c&(cluePair|clueColon) != 0 && i < len(s); i++ {
		if s[i] == '=' || s[i] == ':' {
			if start, end := keyBefore(s, i); start < end && p.r.keys.ends.may(s[start:end]) {
				i = p.pair(&e, s[start:end], i)
			}
		}
	}
	s, changed := e.done()
	if c&clueDash == 0 || !strings.Contains(s, "--") {
		return s, changed
	}
	s, flagged := p.flags(s)
	return s, changed || flagged
}

// keyBefore finds the key, perhaps in quotes, that ends before a separator.
func keyBefore(s string, i int) (start, end int) {
	end = i
	for s[i] == '=' && end > 0 && s[end-1] == ' ' {
		end--
	}
	if end > 0 && (s[end-1] == '"' || s[end-1] == '\'') {
		end--
		for end > 0 && s[end-1] == '\\' {
			end--
		}
	}
	return pairKey.runBack(s, end, maxPairKey), end
}

// pair redacts the value of a key behind the separator at i, and gives the last
// index that was looked at.
func (p *pass) pair(e *edit, key string, i int) int {
	s := e.text
	value := i + 1
	switch rest := s[value:]; {
	case strings.HasPrefix(rest, "="), strings.HasPrefix(rest, "~"), strings.HasPrefix(rest, ":"), strings.HasPrefix(rest, "//"):
		return value // a comparison, a scope or a URL
	case s[i] == '=' && strings.HasPrefix(rest, ">"):
		value++
	}
	value = skipBlanks(s, value)
	r := p.of(strings.Trim(key, ".-")).rule
	if r == nil || value >= len(s) || strings.HasPrefix(s[value:], conventions.Mask) {
		return i
	}
	start, end := pairValue(s, value, s[i] == ':' && isHeader(key))
	text := s[start:end]
	if start >= end || start < e.copied || strings.HasPrefix(text, conventions.Mask) || says(text, s[i] == ':') || r.isDone(text) || p.r.excepted(text) {
		return i
	}
	p.hit(r)
	if r.action == ActionDrop {
		e.put(start, end, conventions.Mask) // nothing would make the next word the value
	} else {
		e.put(start, end, p.replacement(r, text))
	}
	return end - 1
}

func skipBlanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// isHeader says whether the value of a key goes on to the end of its line.
func isHeader(key string) bool {
	key = fold(key)
	return strings.HasSuffix(key, "authorization") || strings.HasSuffix(key, "cookie")
}

// schemes are words that stand before the secret itself.
var schemes = []string{"bearer", "basic", "digest", "token", "apikey", "negotiate", "key"}

// pairValue gives where the value lies that begins at i: what stands in quotes or
// brackets, the rest of the line of a header, or else a word.
func pairValue(s string, i int, header bool) (start, end int) {
	open := i
	for open < len(s) && s[open] == '\\' {
		open++
	}
	if open < len(s) && strings.IndexByte("\"'`", s[open]) >= 0 {
		return open + 1, quoteEnd(s, open+1, open-i)
	}
	if closing := strings.IndexByte("[{(", s[i]); closing >= 0 {
		line := s[:lineEnd(s, i)]
		if end := strings.IndexByte(line[i:], "]})"[closing]); end > 0 {
			return i, i + end + 1
		}
		return i, i
	}
	// A scheme stays, as where the bearer detector finds it.
	for _, scheme := range schemes {
		if next := i + len(scheme); next < len(s) && s[next] == ' ' && strings.EqualFold(s[i:next], scheme) {
			i = next + 1
			break
		}
	}
	if !header {
		return i, wordEnd(s, i)
	}
	for end = i; end < len(s) && strings.IndexByte("\r\n\"'`", s[end]) < 0; {
		end++
	}
	return i, end
}

// quoteEnd gives the end of what a quote in front of start opens, itself behind n
// backslashes: at the next such quote behind as many. Text that was escaped once
// more has quotes behind n, and its own behind 2n+1; a backslash of its own makes
// the run longer by whole multiples.
func quoteEnd(s string, start, n int) int {
	quote := s[start-1]
	slashes := 0
	for i := start; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			slashes++
			continue
		case s[i] == quote && slashes%(2*(n+1)) == n:
			return i - n
		case s[i] == '\n':
			return i
		}
		slashes = 0
	}
	return len(s)
}

func lineEnd(s string, i int) int {
	if n := strings.IndexAny(s[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(s)
}

// wordEnd gives the end of an unquoted value. Commas and brackets end it where the
// text goes on behind them, and are part of it where they stand inside a word.
func wordEnd(s string, i int) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case pairEnds[c]:
			return i
		case c == '\\':
			if i+1 < len(s) && strings.IndexByte("nrt\"'", s[i+1]) >= 0 {
				return i
			}
		case c == '[' && strings.HasPrefix(s[i:], conventions.Mask):
			i += len(conventions.Mask) - 1
		case strings.IndexByte(",;&?", c) >= 0:
			if next := pairKey.run(s, i+1); next == i+1 || next == len(s) || s[next] == '=' || s[next] == ':' {
				return i
			}
		case strings.IndexByte(")]}>", c) >= 0:
			if i+1 == len(s) || !isWord(s[i+1]) {
				return i
			}
		}
	}
	return i
}

// nothings are values that stand for none; sayings are words that prose says about
// a secret, behind a colon.
var (
	nothings = wordSet(`null nil none true false undefined empty unset`)
	sayings  = wordSet(`invalid expired missing not no required expected unexpected ok failed must is was has the a an wrong incorrect rejected
		denied unknown unauthorized forbidden malformed too cannot could unable mismatch absent revoked set present found valid optional
		disabled enabled error default`)
)

func wordSet(words string) map[string]struct{} {
	set := map[string]struct{}{}
	for word := range strings.FieldsSeq(words) {
		set[word] = struct{}{}
	}
	return set
}

// says says whether a value is no secret: a word of prose, or a placeholder.
func says(value string, prose bool) bool {
	switch {
	case strings.Trim(value, "*.?") == "":
		return true
	case strings.HasPrefix(value, "${"), strings.HasPrefix(value, "{{"), strings.HasPrefix(value, "%s"), strings.HasPrefix(value, "%v"):
		return true
	case len(value) > 1 && value[0] == '$' && strings.Trim(value[1:], "0123456789") == "":
		return true
	}
	word := strings.TrimRight(strings.ToLower(value), ".!")
	_, nothing := nothings[word]
	_, saying := sayings[word]
	return nothing || prose && saying
}

// flags redacts the values of flags of a command line, --key value. Those with an
// equals sign are pairs.
func (p *pass) flags(s string) (string, bool) {
	e := edit{text: s}
	for i := 0; ; {
		n := strings.Index(s[i:], "--")
		if n < 0 {
			break
		}
		start := i + n + 2
		end := pairKey.run(s, start)
		i = end
		if end+1 >= len(s) || s[end] != ' ' || s[end+1] == '-' || !p.r.keys.ends.may(s[start:end]) {
			continue
		}
		i = p.pair(&e, s[start:end], end)
	}
	return e.done()
}

// endings are the last two letters of all names that are redacted: nearly every
// other word of a text is told by them.
type endings struct {
	set [1 << 10]bool
	any bool // some name ends in a pattern
}

func (n *endings) add(name string) {
	if i := len(name) - 2; i < 0 || strings.ContainsAny(name[i:], "*?[]") {
		n.any = true
	} else {
		n.set[ending(name)] = true
	}
}

// may says whether a key can be one of the names.
func (n *endings) may(key string) bool {
	return len(key) >= 2 && (n.any || n.set[ending(key)])
}

// ending folds the last two bytes: letters of either case are one, and what is no
// letter may be anything.
func ending(key string) int {
	return int(key[len(key)-2]&31)<<5 | int(key[len(key)-1]&31)
}
