package filter

import (
	"cmp"
	"encoding/hex"
	"slices"

	"github.com/trackwayhq/trackway/internal/record"
)

// Match says whether the record satisfies the filter. It is the reference for
// what the language means; see the package comment. It does not allocate, except
// for patterns on text that is no UTF-8, and may be called by several goroutines.
func (e *Expr) Match(r *record.Record) bool {
	return e.Root == nil || Match(e.Root, r)
}

// Match says whether the record satisfies a part of a filter.
func Match(n Node, r *record.Record) bool {
	switch n := n.(type) {
	case *And:
		for _, t := range n.order {
			if !Match(t, r) {
				return false
			}
		}
		return true
	case *Or:
		for _, t := range n.order {
			if Match(t, r) {
				return true
			}
		}
		return false
	case *Not:
		return !Match(n.Term, r)
	case *Compare:
		return n.match(r)
	case *In:
		return n.match(r)
	case *Pattern:
		text, _, ok := n.text(r)
		return ok && n.Matcher.Match(text) != n.Not
	case *Exists:
		return n.match(r)
	case *FreeText:
		return n.match(r)
	}
	return false
}

// text gives the content of a text column or of a key of a map, the map it is
// from, and whether the record has it. A bare name is of the correlation keys
// where they have it, of the attributes otherwise.
func (f *Field) text(r *record.Record) (string, *Column, bool) {
	c := f.Column
	switch {
	case c == AnyKey:
		if v, ok := r.Correlation.Get(f.Key); ok {
			return v, correlation, true
		}
		v, ok := r.Attribute(f.Key)
		return v, AnyKey, ok
	case !c.In(r.Kind):
		return "", c, false
	case c.Type == Map:
		v, ok := c.entry(r, f.Key)
		return v, c, ok
	}
	return c.text(r), c, true
}

func (c *Compare) match(r *record.Record) bool {
	if c.Op == Never || !c.Column.In(r.Kind) {
		return false
	}
	return c.Op == Always || c.Value.compare(&c.Field, c.Op, r)
}

// compare says whether the field of a record that has the column stands to the
// literal as op says.
func (v *Value) compare(f *Field, op Op, r *record.Record) bool {
	switch f.Column.Type {
	case Uint:
		return holds(op, cmp.Compare(f.Column.uint(r), v.Uint))
	case Time:
		return holds(op, cmp.Compare(r.Time.UnixNano(), v.Nano))
	case HexID:
		if f.Column.uint != nil {
			return (f.Column.uint(r) == v.Uint) == (op == Eq)
		}
		return equalHex(f.Column.id(r), v.Text) == (op == Eq)
	}
	text, from, ok := f.text(r)
	switch {
	case !ok:
		return false
	case from.Type == Map:
		return v.compareText(from, op, text)
	}
	return holds(op, cmp.Compare(text, v.Text))
}

// compareText compares a value of a map.
func (v *Value) compareText(from *Column, op Op, text string) bool {
	if v.Numeric(from, op) {
		if f, ok := parseNumber(text); ok {
			return holds(op, cmp.Compare(f, v.Float))
		}
		if v.Bare {
			return op == Ne
		}
	}
	return holds(op, cmp.Compare(text, v.Text))
}

// fewValues is up to how many values of a list are compared one by one.
const fewValues = 8

// prepare makes long lists of text quick to search.
func (n *In) prepare() {
	if len(n.Values) <= fewValues || n.Column.Type != Text {
		return
	}
	n.texts = make(map[string]struct{}, len(n.Values))
	for i := range n.Values {
		n.texts[n.Values[i].Text] = struct{}{}
	}
}

func (n *In) match(r *record.Record) bool {
	if !n.Column.In(r.Kind) {
		return false
	}
	if n.texts != nil {
		_, found := n.texts[n.Column.text(r)]
		return found != n.Not
	}
	if n.Column.Type == Map {
		text, from, ok := n.text(r)
		return ok && slices.ContainsFunc(n.Values, func(v Value) bool { return v.compareText(from, Eq, text) }) != n.Not
	}
	return slices.ContainsFunc(n.Values, func(v Value) bool { return v.compare(&n.Field, Eq, r) }) != n.Not
}

func (n *Exists) match(r *record.Record) bool {
	c := n.Column
	if !c.In(r.Kind) {
		return false
	}
	switch c.Type {
	case Uint:
		return c.uint(r) != 0
	case HexID:
		if c.uint != nil {
			return c.uint(r) != 0
		}
		return slices.ContainsFunc(c.id(r), func(b byte) bool { return b != 0 })
	case Time:
		return true
	}
	text, from, ok := n.text(r)
	return ok && (from.Type == Map || text != "")
}

var textColumns = func() []*Column {
	out := make([]*Column, len(TextColumns))
	for i, name := range TextColumns {
		out[i] = columnByName[name]
	}
	return out
}()

func (n *FreeText) match(r *record.Record) bool {
	for _, c := range textColumns {
		if c.In(r.Kind) && n.Matcher.Match(c.text(r)) {
			return true
		}
	}
	return false
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
