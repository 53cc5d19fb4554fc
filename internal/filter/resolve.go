package filter

import (
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// literal reads a literal, which is the token in hand, as that of c, in the unit
// and form that c's column compares by.
func (p *parser) literal(c *Compare, lit literal) error {
	if p.tok.kind != tokString && p.tok.kind != tokWord {
		return p.expected(literalOf(c.Column))
	}
	free := lit.quoted || lit.loose
	switch c.Column.Type {
	case Text:
		// A bare number is the text of the number: release = 42.
		if !free && !IsNumber(lit.text) {
			return p.expected(literalOf(c.Column))
		}
		c.Value.Text = lit.text
	case Map:
		c.Value.Text = lit.text
		c.Value.Float, c.Value.IsNumber = parseNumber(lit.text)
		c.Value.Bare = c.Value.IsNumber && !lit.quoted
		if !free && !c.Value.IsNumber {
			return p.expected(literalOf(c.Column))
		}
	case HexID:
		id := strings.ToLower(lit.text)
		bytes, err := hex.DecodeString(id)
		if err != nil || len(id) != c.Column.digits {
			return p.expected(literalOf(c.Column))
		}
		c.Value.Text = id
		if c.Column.uint != nil {
			c.Value.Uint = binary.BigEndian.Uint64(bytes)
		}
	case Time:
		at, err := time.Parse(time.RFC3339Nano, lit.text)
		if err != nil || at.Year() < minYear || at.Year() > maxYear {
			return p.expected(literalOf(c.Column))
		}
		c.Value.Nano = at.UnixNano()
	case Uint:
		r, ok := c.Column.number(lit.text)
		if !ok {
			return p.expected(literalOf(c.Column))
		}
		c.bound(r)
	}
	return nil
}

// Nanoseconds since 1970 fit an int64 from 1678 to 2262; whole years, and 1970
// at the start because the store's DateTime begins there.
const (
	minYear = 1970
	maxYear = 2261
)

// number reads a literal of an integer column in the unit of its source.
func (c *Column) number(text string) (*big.Rat, bool) {
	switch {
	case IsNumber(text):
		r := exact(text)
		return r.Mul(r, new(big.Rat).SetInt64(c.scale)), true
	case c.Duration:
		return parseDuration(text)
	case c.Size:
		return parseSize(text)
	}
	return nil, false
}

// bound turns a comparison with any number into one with an integer of the
// column's range: x > 1.5 is x > 1, x >= 1.5 is x > 1, x = 1.5 is never true.
func (c *Compare) bound(r *big.Rat) {
	floor := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean, so it rounds down
	switch {
	case floor.Sign() < 0:
		c.Op = outside(c.Op, Gt, Ge)
	case !floor.IsUint64():
		c.Op = outside(c.Op, Lt, Le)
	case !r.IsInt():
		switch c.Op {
		case Eq:
			c.Op = Never
		case Ne:
			c.Op = Always
		case Ge:
			c.Op = Gt
		case Lt:
			c.Op = Le
		default: // > and <= are right at the floor
		}
	}
	if c.Op != Always && c.Op != Never {
		c.Value.Uint = floor.Uint64()
	}
}

// outside gives what op comes to when every value lies on the side of the
// literal where the two operators given hold.
func outside(op, a, b Op) Op {
	if op == Ne || op == a || op == b {
		return Always
	}
	return Never
}

// literalOf says what a column compares with.
func literalOf(c *Column) string {
	switch {
	case c.Type == HexID:
		return strconv.Itoa(c.digits) + " hex digits in quotes"
	case c.Type == Time:
		return "a time in quotes, RFC 3339, such as '2026-01-31T12:00:00Z'"
	case c.Duration:
		return "a number, or a duration such as 250ms or 1m30s"
	case c.Size:
		return "a number of bytes, or a size such as 500kB or 1.5MiB"
	case c.Name == "severity":
		return "a number from 1 to 24, or a name such as 'warn' or 'error'"
	case c.Type == Uint:
		return "a number"
	case c.Type == Map:
		return "a number, or a string in quotes"
	}
	return "a string in quotes"
}
