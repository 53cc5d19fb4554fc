package requesteventreceiver

import "unsafe"

const (
	arenaFirst = 1 << 10
	arenaMax   = 64 << 10
)

// arena holds the texts of a batch that are put together, such as the name of a
// span. Many share one allocation, since they live and die with their batch. Texts
// that stand in the body as they are need no copy: see lineReader.
type arena struct {
	b    []byte
	next int
}

// join gives the parts as one text.
func (a *arena) join(first, second, third string) string {
	n := len(first) + len(second) + len(third)
	if n == 0 {
		return ""
	}
	if cap(a.b)-len(a.b) < n {
		// A new buffer: the texts of the old one keep it alive.
		a.next = min(max(2*a.next, arenaFirst), arenaMax)
		a.b = make([]byte, 0, max(a.next, n))
	}
	start := len(a.b)
	a.b = append(append(append(a.b, first...), second...), third...)
	return view(a.b[start:])
}

// view is b as a string without copying: b must not be written to any more.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
