package filter

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// literal reads the current token as the literal of c, in the unit and form
// that c's column compares by.
func (p *parser) literal(c *Compare) error {
	t := p.tok
	switch t.kind {
	case tokString, tokNumber, tokDuration:
	default:
		return p.expected(literalOf(c.Column))
	}
	switch c.Column.Type {
	case Text:
		// A bare number is the text of the number: release = 42.
		if t.kind == tokDuration {
			return p.expected(literalOf(c.Column))
		}
		c.Value.Text = t.text
	case Map:
		if t.kind == tokDuration {
			return p.expected(literalOf(c.Column))
		}
		c.Value.Text = t.text
		c.Value.Float, c.Value.IsNumber = parseNumber(t.text)
		c.Value.Bare = t.kind == tokNumber
	case HexID:
		id := strings.ToLower(t.text)
		if _, err := hex.DecodeString(id); err != nil || len(id) != c.Column.digits {
			return p.expected(literalOf(c.Column))
		}
		c.Value.Text = id
	case Time:
		at, err := time.Parse(time.RFC3339Nano, t.text)
		if err != nil || at.Year() < minYear || at.Year() > maxYear {
			return p.expected(literalOf(c.Column))
		}
		c.Value.Nano = at.UnixNano()
	case Uint:
		r, ok := c.Column.number(t)
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
func (c *Column) number(t token) (*big.Rat, bool) {
	if IsNumber(t.text) {
		r := exact(t.text)
		return r.Mul(r, new(big.Rat).SetInt64(c.scale)), true
	}
	if c.Duration {
		return parseDuration(t.text)
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
	case r.IsInt():
		c.Value.Uint = floor.Uint64()
	default:
		c.Value.Uint = floor.Uint64()
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
	case c.Type == Uint:
		return "a number"
	case c.Type == Map:
		return "a number, or a string in quotes"
	}
	return "a string in quotes"
}
