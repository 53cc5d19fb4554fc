package filter

import "fmt"

// Error says where a filter stops making sense.
type Error struct {
	// Pos is the byte offset in the filter where Found starts, Length how many
	// bytes it has: 0 at the end of the filter.
	Pos, Length int
	// Found is the offending text, "end of filter" at the end.
	Found string
	// Expected says what could stand there instead.
	Expected string
}

// Error gives the whole message, with the position counted from 0 in bytes.
func (e *Error) Error() string {
	return fmt.Sprintf("filter, at byte %d: found %s, expected %s", e.Pos, e.Found, e.Expected)
}
