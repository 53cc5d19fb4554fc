package filter

import (
	"cmp"
	"encoding/hex"

	"github.com/trackwayhq/trackway/internal/record"
)

// Match says whether the record satisfies the filter. It is the reference for
// what the language means; see the package comment.
func (e *Expr) Match(r *record.Record) bool {
	return e.Root == nil || matchNode(e.Root, r)
}

func matchNode(n Node, r *record.Record) bool {
	switch n := n.(type) {
	case *And:
		for _, t := range n.Terms {
			if !matchNode(t, r) {
				return false
			}
		}
		return true
	case *Or:
		for _, t := range n.Terms {
			if matchNode(t, r) {
				return true
			}
		}
		return false
	case *Not:
		return !matchNode(n.Term, r)
	case *Compare:
		return n.match(r)
	}
	return false
}

func (c *Compare) match(r *record.Record) bool {
	col := c.Column
	if !col.In(r.Kind) || c.Op == Never {
		return false
	}
	if c.Op == Always {
		return true
	}
	switch col.Type {
	case Text:
		return holds(c.Op, cmp.Compare(col.text(r), c.Value.Text))
	case Uint:
		return holds(c.Op, cmp.Compare(col.uint(r), c.Value.Uint))
	case Time:
		return holds(c.Op, cmp.Compare(r.Time.UnixNano(), c.Value.Nano))
	case HexID:
		return equalHex(col.id(r), c.Value.Text) == (c.Op == Eq)
	case Map:
		v, present := col.entry(r, c.Key)
		return present && c.matchText(v)
	}
	return false
}

// matchText compares a value of a map.
func (c *Compare) matchText(v string) bool {
	if c.Numeric() {
		if f, ok := parseNumber(v); ok {
			return holds(c.Op, cmp.Compare(f, c.Value.Float))
		}
		if c.Value.Bare {
			return c.Op == Ne
		}
	}
	return holds(c.Op, cmp.Compare(v, c.Value.Text))
}

// holds says whether op is satisfied by two values that compare as sign.
func holds(op Op, sign int) bool {
	switch op {
	case Eq:
		return sign == 0
	case Ne:
		return sign != 0
	case Lt:
		return sign < 0
	case Le:
		return sign <= 0
	case Gt:
		return sign > 0
	case Ge:
		return sign >= 0
	default:
		return op == Always
	}
}

// equalHex compares bytes with lower-case hex without allocating. An id of
// zeros is one the sender did not give; it is present and equals zeros.
func equalHex(id []byte, digits string) bool {
	var buf [32]byte
	n := hex.Encode(buf[:], id)
	return string(buf[:n]) == digits
}
