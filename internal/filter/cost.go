package filter

import (
	"cmp"
	"slices"
)

// newAnd joins terms, which are matched the cheapest first: a filter of a status
// and a text then searches the texts of that status only.
func newAnd(terms []Node) *And { return &And{Terms: terms, order: byCost(terms)} }

func newOr(terms []Node) *Or { return &Or{Terms: terms, order: byCost(terms)} }

func byCost(terms []Node) []Node {
	order := slices.Clone(terms)
	slices.SortStableFunc(order, func(a, b Node) int { return cmp.Compare(cost(a), cost(b)) })
	return order
}

// cost is about how long a part of a filter takes to match, in comparisons of a
// column.
func cost(n Node) int {
	switch n := n.(type) {
	case *And:
		return costs(n.Terms)
	case *Or:
		return costs(n.Terms)
	case *Not:
		return cost(n.Term)
	case *FreeText:
		return 20 * len(TextColumns)
	case *Pattern:
		if n.Matcher.Form >= ContainsFold {
			return 100
		}
		return 2 * costOf(&n.Field)
	}
	return costOf(FieldOf(n))
}

func costs(terms []Node) int {
	sum := 0
	for _, t := range terms {
		sum += cost(t)
	}
	return sum
}

func costOf(f *Field) int {
	switch {
	case f.Bare():
		return 6
	case f.Column.Type == Map:
		return 3
	}
	return 1
}
