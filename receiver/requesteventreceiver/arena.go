package requesteventreceiver

import (
	"strings"
	"unsafe"
)

const (
	arenaFirst = 1 << 10
	arenaMax   = 64 << 10
)

// arena copies strings out of the parser's buffer, which the next line reuses.
// The copies of many short strings share one allocation, since they live and die
// with their batch anyway.
type arena struct {
	b    strings.Builder
	next int
}

func (a *arena) copy(s string) string {
	if s == "" {
		return ""
	}
	if a.b.Cap()-a.b.Len() < len(s) {
		a.next = min(max(2*a.next, arenaFirst), arenaMax)
		// A new Builder: strings of the old one keep its buffer alive.
		a.b = strings.Builder{}
		a.b.Grow(max(a.next, len(s)))
	}
	start := a.b.Len()
	a.b.WriteString(s)
	return a.b.String()[start:]
}

// view is b as a string without copying: valid as long as b is, for looking up
// and parsing, never for keeping.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
