package filter

import (
	"math/big"
	"strconv"
	"strings"
)

// IsNumber says whether s is a number of the language: an optional sign, digits,
// an optional fraction, an optional exponent, and a value a double can hold.
func IsNumber(s string) bool {
	_, ok := parseNumber(s)
	return ok
}

// NumberPattern is the grammar of IsNumber as an RE2 pattern, for SQL. It leaves
// out the range of a double.
const NumberPattern = `^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`

// parseNumber reads a number in double precision.
func parseNumber(s string) (float64, bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	n := digitsAt(s, i)
	if n == 0 {
		return 0, false
	}
	i += n
	if i < len(s) && s[i] == '.' {
		n = digitsAt(s, i+1)
		if n == 0 {
			return 0, false
		}
		i += 1 + n
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		n = digitsAt(s, i)
		if n == 0 {
			return 0, false
		}
		i += n
	}
	if i != len(s) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

func digitsAt(s string, i int) int {
	n := 0
	for i+n < len(s) && isDigit(s[i+n]) {
		n++
	}
	return n
}

// exact reads a number that parseNumber accepts without rounding it. A number
// too small for a double is 0: its exponent could fill the memory.
func exact(s string) *big.Rat {
	if f, _ := parseNumber(s); f == 0 {
		return new(big.Rat)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// unitNanos are the units of duration literals.
var unitNanos = map[string]int64{
	"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9,
}

// maxDurationText keeps the exact arithmetic on a literal short.
const maxDurationText = 64

// parseDuration reads numbers with units, one after the other, as nanoseconds.
func parseDuration(s string) (*big.Rat, bool) {
	if s == "" || len(s) > maxDurationText {
		return nil, false
	}
	sum := new(big.Rat)
	negative := s[0] == '-'
	s = strings.TrimLeft(s, "+-")
	for s != "" {
		n := digitsAt(s, 0)
		if n > 0 && n < len(s) && s[n] == '.' {
			n += 1 + digitsAt(s, n+1)
		}
		u := n
		for u < len(s) && !isDigit(s[u]) && s[u] != '.' {
			u++
		}
		nanos, known := unitNanos[s[n:u]]
		if !known || !IsNumber(s[:n]) {
			return nil, false
		}
		part := exact(s[:n])
		sum.Add(sum, part.Mul(part, new(big.Rat).SetInt64(nanos)))
		s = s[u:]
	}
	if negative {
		sum.Neg(sum)
	}
	return sum, true
}

// unitBytes are the units of size literals, in lower case: decimal, and binary
// with an i.
var unitBytes = map[string]int64{
	"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// parseSize reads a number with a unit as bytes.
func parseSize(s string) (*big.Rat, bool) {
	n := len(s)
	for n > 0 && (s[n-1] >= 'a' && s[n-1] <= 'z' || s[n-1] >= 'A' && s[n-1] <= 'Z') {
		n--
	}
	unit, known := unitBytes[strings.ToLower(s[n:])]
	if !known || !IsNumber(s[:n]) {
		return nil, false
	}
	r := exact(s[:n])
	return r.Mul(r, new(big.Rat).SetInt64(unit)), true
}
