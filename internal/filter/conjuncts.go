package filter

import (
	"math"
	"slices"

	"github.com/trackwayhq/trackway/internal/record"
)

// The functions below say what a part of a filter implies, for whoever chooses
// between tables and indexes. They may know less than is true, never more: the
// filter itself is still to be tested on what an index finds.

// Conjuncts gives the parts of a filter all of which hold where it does: the terms
// of its AND, with NOT brought inside as far as ANDs and ORs go. There are none
// for the empty filter.
func Conjuncts(e *Expr) []Node {
	if e == nil || e.Root == nil {
		return nil
	}
	return conjuncts(nil, e.Root)
}

func conjuncts(out []Node, n Node) []Node {
	switch n := n.(type) {
	case *And:
		for _, t := range n.Terms {
			out = conjuncts(out, t)
		}
		return out
	case *Not:
		if or, ok := n.Term.(*Or); ok {
			for _, t := range or.Terms {
				out = conjuncts(out, negated(t))
			}
			return out
		}
	}
	return append(out, n)
}

// negated is the complement of a node.
func negated(n Node) Node {
	if not, ok := n.(*Not); ok {
		return not.Term
	}
	return &Not{Term: n, pos: n.Pos()}
}

// Leaves calls yield with every comparison of a filter, from left to right, until
// it says no.
func Leaves(n Node, yield func(Node) bool) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *And:
		return leavesOf(n.Terms, yield)
	case *Or:
		return leavesOf(n.Terms, yield)
	case *Not:
		return Leaves(n.Term, yield)
	}
	return yield(n)
}

func leavesOf(terms []Node, yield func(Node) bool) bool {
	for _, t := range terms {
		if !Leaves(t, yield) {
			return false
		}
	}
	return true
}

// FieldOf is the field that a comparison reads; nil for free text, which reads
// TextColumns, and for what is no single comparison.
func FieldOf(n Node) *Field {
	switch n := n.(type) {
	case *Compare:
		return &n.Field
	case *In:
		return &n.Field
	case *Pattern:
		return &n.Field
	case *Exists:
		return &n.Field
	}
	return nil
}

// ReadsOnly says whether a part of a filter reads no columns but the named ones.
// A key of a map reads the map, a bare name and free text read more than one
// column.
func ReadsOnly(n Node, columns map[string]bool) bool {
	return Leaves(n, func(leaf Node) bool {
		if _, ok := leaf.(*FreeText); ok {
			for _, name := range TextColumns {
				if !columns[name] {
					return false
				}
			}
			return true
		}
		f := FieldOf(leaf)
		if f.Bare() {
			return columns["correlation"] && columns["attributes"]
		}
		return columns[f.Column.Name]
	})
}

// Equality says that a key has one of a few values.
type Equality struct {
	Key    string
	Values []string
	// Maybe says that a bare name was written: where a record has no such
	// correlation key, it is the attribute that has one of the values. The same
	// filter then gives an Equality of the key and, unless the attribute is stored in
	// a column, one of the attribute; a record satisfies at least one of them.
	Maybe bool
	// Whole says that the part of the filter says nothing else: every record with
	// the key and one of the values satisfies it.
	Whole bool
}

// KeyEquality says whether a part of a filter holds only where a correlation key
// has one of a few values. Those are what the journey is sorted by.
func KeyEquality(n Node) (Equality, bool) {
	return equality(n, func(f *Field, v *Value) bool {
		return f.Column == correlation || f.Bare()
	})
}

// AttributeEquality says whether a part of a filter holds only where an attribute
// of records of the kind, one that is stored in the map, has one of a few values.
// Such a record has one of FacetItems.
func AttributeEquality(n Node, kind record.Kind) (Equality, bool) {
	return equality(n, func(f *Field, v *Value) bool {
		if f.Column.Name != "attributes" && !f.Bare() || v.Numeric(f.Column, Eq) {
			return false
		}
		p := record.PromotedAttribute(kind, f.Key)
		return p == nil || p.Attribute != f.Key
	})
}

// equality collects the values of comparisons whose field and value serve.
func equality(n Node, serves func(*Field, *Value) bool) (Equality, bool) {
	switch n := n.(type) {
	case *Compare:
		if n.Op == Eq && serves(&n.Field, &n.Value) {
			return Equality{Key: n.Key, Values: []string{n.Value.Text}, Maybe: n.Bare(), Whole: !n.Bare()}, true
		}
	case *In:
		out := Equality{Key: n.Key, Maybe: n.Bare(), Whole: !n.Bare()}
		for i := range n.Values {
			if n.Not || !serves(&n.Field, &n.Values[i]) {
				return Equality{}, false
			}
			out.Values = append(out.Values, n.Values[i].Text)
		}
		return out, true
	case *Or:
		out, ok := equality(n.Terms[0], serves)
		for _, t := range n.Terms[1:] {
			next, also := equality(t, serves)
			if ok = ok && also && next.Key == out.Key && next.Maybe == out.Maybe; !ok {
				return Equality{}, false
			}
			for _, v := range next.Values {
				if !slices.Contains(out.Values, v) {
					out.Values = append(out.Values, v)
				}
			}
			out.Whole = out.Whole && next.Whole
		}
		return out, ok
	case *And:
		for _, t := range n.Terms {
			if out, ok := equality(t, serves); ok {
				out.Whole = false
				return out, true
			}
		}
	}
	return Equality{}, false
}

// FacetItems are the entries of facet_items of which a record must have at least
// one where an attribute has one of the values: the pair itself, or what stands
// for it beyond the caps of the collector.
func FacetItems(e Equality) []string {
	const other = "(other)"
	items := make([]string, 0, len(e.Values)+2)
	for _, v := range e.Values {
		items = append(items, e.Key+"="+v)
	}
	return append(items, e.Key+"="+other, other)
}

// Durations gives the least and the greatest duration, in nanoseconds and both
// inclusive, that records can have which satisfy a part of a filter. It is 0 and
// math.MaxUint64 where the part says nothing about durations.
func Durations(n Node) (least, greatest uint64) {
	least, greatest = 0, math.MaxUint64
	switch n := n.(type) {
	case *Compare:
		if n.Column.Source == "duration" {
			return bounds(n.Op, n.Value.Uint)
		}
	case *In:
		if n.Column.Source == "duration" && !n.Not {
			least, greatest = greatest, least
			for _, v := range n.Values {
				least, greatest = min(least, v.Uint), max(greatest, v.Uint)
			}
		}
	case *And:
		for _, t := range n.Terms {
			l, g := Durations(t)
			least, greatest = max(least, l), min(greatest, g)
		}
	case *Or:
		least, greatest = greatest, least
		for _, t := range n.Terms {
			l, g := Durations(t)
			least, greatest = min(least, l), max(greatest, g)
		}
	}
	return least, greatest
}

// bounds are the integers that satisfy op, as a range; an empty one has its ends
// the wrong way round.
func bounds(op Op, v uint64) (least, greatest uint64) {
	switch op {
	case Eq:
		return v, v
	case Lt:
		if v == 0 {
			return 1, 0
		}
		return 0, v - 1
	case Le:
		return 0, v
	case Gt:
		if v == math.MaxUint64 {
			return 1, 0
		}
		return v + 1, math.MaxUint64
	case Ge:
		return v, math.MaxUint64
	case Never:
		return 1, 0
	}
	return 0, math.MaxUint64
}
