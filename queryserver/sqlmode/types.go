package sqlmode

import (
	"regexp"
	"strings"
)

// typeNames are the types that a statement may name, in lower case. Types of
// aggregate states are not among them: reading a state from a string trusts it.
var typeNames = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`
		UInt8 UInt16 UInt32 UInt64 UInt128 UInt256 Int8 Int16 Int32 Int64 Int128 Int256 Float32 Float64 BFloat16 Bool Boolean
		Decimal Decimal32 Decimal64 Decimal128 Decimal256 String FixedString UUID IPv4 IPv6 Enum Enum8 Enum16
		Date Date32 DateTime DateTime32 DateTime64 Time Time64 Array Tuple Map Nullable LowCardinality
		Int Integer BigInt SmallInt TinyInt Float Double Text Varchar Char Timestamp Signed Unsigned`) {
		names[strings.ToLower(name)] = true
	}
	return names
}()

var (
	quotedText = regexp.MustCompile(`'[^'\\]*'`)
	typeWord   = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	typeText   = regexp.MustCompile(`^[A-Za-z0-9_(),= ']*$`)
	// fieldName is the name of an element of a named tuple, or of a column in a
	// structure, in front of its type.
	fieldName = regexp.MustCompile(`(^|[(,]) *([A-Za-z_][A-Za-z0-9_]*) +([A-Za-z_])`)
)

// isType says whether text is one of the types statements may name, or a list of
// names and types as in the structure of values().
func isType(text string) bool {
	text = quotedText.ReplaceAllString(text, "''") // values of enums, time zones
	if strings.TrimSpace(text) == "" || !typeText.MatchString(text) {
		return false
	}
	text = fieldName.ReplaceAllString(text, "$1$3")
	for _, word := range typeWord.FindAllString(text, -1) {
		if !typeNames[strings.ToLower(word)] {
			return false
		}
	}
	return true
}
