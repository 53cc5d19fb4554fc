package filter

import (
	"slices"
	"strings"
)

// SeverityNames are the names of OpenTelemetry's ranges of severity numbers, from
// 1 on, four numbers each.
var SeverityNames = []string{"trace", "debug", "info", "warn", "error", "fatal"}

// severities is the range that a literal of the column severity names. Names stand
// in quotes, or after a colon.
func severities(c *Column, lit literal) (from, to uint64, ok bool) {
	if c.Name != "severity" || !lit.quoted && !lit.loose {
		return 0, 0, false
	}
	i := slices.Index(SeverityNames, strings.ToLower(lit.text))
	if i < 0 {
		return 0, 0, false
	}
	from = uint64(4*i + 1)
	return from, from + 3, true
}
