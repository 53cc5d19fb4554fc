package requesteventreceiver

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/valyala/fastjson"
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
func want(field, expected string, v *fastjson.Value) *lineError {
	return rejectLine(reasonInvalidField, "%s: want %s, got %s", field, expected, describe(v))
}

const (
	// maxErrorBytes bounds what an answer repeats of a line.
	maxErrorBytes = 300
	maxGotBytes   = 64
)

// describe renders a value for an error message, short.
func describe(v *fastjson.Value) string {
	switch v.Type() {
	case fastjson.TypeObject:
		return "an object"
	case fastjson.TypeArray:
		return "an array"
	case fastjson.TypeString:
		s := v.GetStringBytes()
		if len(s) > maxGotBytes {
			return strconv.Quote(cut(string(s), maxGotBytes)) + "…"
		}
		return strconv.Quote(string(s))
	default:
		return cut(string(v.MarshalTo(nil)), maxGotBytes)
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
