package requesteventreceiver

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Reasons a line is rejected for; values of the rejected lines' counter.
const (
	reasonInvalidJSON  = "invalid_json"
	reasonInvalidField = "invalid_field"
	reasonUnknownType  = "unknown_type"
	reasonTooLong      = "too_long"
	reasonTooOld       = "too_old"
	reasonTooMany      = "too_many_attributes"
	reasonNoPipeline   = "no_pipeline"
)

// lineError says why one line was rejected. Its text names the field, what was
// expected and what was found.
type lineError struct {
	reason string
	text   string
}

func (e *lineError) Error() string { return e.text }

func rejectLine(reason, format string, args ...any) *lineError {
	return &lineError{reason: reason, text: cut(fmt.Sprintf(format, args...), maxErrorBytes)}
}

// want is the error of a field that holds something else than it should.
func (d *decoder) want(field, expected string, got uint32) *lineError {
	return rejectLine(reasonInvalidField, "%s: want %s, got %s", field, expected, d.describe(got))
}

const (
	// maxErrorBytes bounds what an answer repeats of a line.
	maxErrorBytes = 300
	maxGotBytes   = 64
)

// describe renders a value for an error message, short.
func (d *decoder) describe(i uint32) string {
	n := d.at(i)
	text := d.textOf(n)
	switch n.kind {
	case kindObject:
		return "an object"
	case kindArray:
		return "an array"
	case kindString:
		if len(text) > maxGotBytes {
			return strconv.Quote(cut(text, maxGotBytes)) + "…"
		}
		return strconv.Quote(text)
	default:
		return cut(strings.Clone(text), maxGotBytes)
	}
}

// cut returns the longest prefix of s that has at most n bytes and ends at the
// end of a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
