package contrast

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Value is a value of a field with the records that have it.
type Value struct {
	Field, Value string
	Selected     uint64 // in the selection
	Baseline     uint64 // in what it is compared with
}

// Finding is a value that is over-represented in the selection.
type Finding struct {
	Value
	SelectedShare, BaselineShare float64 // of the records, 0 to 1
	// Lift is the ratio of the shares. A value that no record of the baseline has
	// counts as half a record there, so that it is finite.
	Lift float64
	// Score is G. Findings are ordered by it.
	Score float64
	// PValue is the chance of such a score or a higher one where there is no
	// difference, times the number of values that were looked at (Bonferroni).
	PValue float64
}

const (
	// MinSupport is the fewest records of the selection that a finding has: one
	// with fewer is an anecdote.
	MinSupport = 5
	// MinShare is the least share of the selection that has the value: fewer
	// explain nothing.
	MinShare = 0.01
	// MaxPValue is the weakest finding, corrected for the number of values.
	MaxPValue = 0.01
	// MinLift leaves out differences too small to act on, however certain.
	MinLift = 1.1
)

// Support is the fewest records with a value that a selection of so many needs.
func Support(selected uint64) uint64 {
	return max(MinSupport, uint64(math.Ceil(MinShare*float64(selected))))
}

// Rank gives the values that are over-represented among selected records, compared
// with those of the baseline, the strongest first.
func Rank(values []Value, selected, baseline uint64) []Finding {
	out := []Finding{}
	if selected == 0 || baseline == 0 {
		return out
	}
	support := Support(selected)
	for _, v := range values {
		if v.Selected < support {
			continue
		}
		f := Finding{
			Value: v, Score: G(v.Selected, selected, v.Baseline, baseline),
			SelectedShare: float64(v.Selected) / float64(selected), BaselineShare: float64(v.Baseline) / float64(baseline),
		}
		f.Lift = f.SelectedShare / (max(float64(v.Baseline), 0.5) / float64(baseline))
		f.PValue = min(math.Erfc(math.Sqrt(f.Score/2))*float64(len(values)), 1)
		if f.Lift >= MinLift && f.PValue <= MaxPValue {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Field, b.Field), strings.Compare(a.Value.Value, b.Value.Value))
	})
	return out
}

// G is the log-likelihood ratio of a of n records having something, and b of m
// others. It is 0 where the shares are equal.
func G(a, n, b, m uint64) float64 {
	total, having := float64(n+m), float64(a+b)
	g := term(float64(a), float64(n)*having/total) +
		term(float64(n-a), float64(n)*(total-having)/total) +
		term(float64(b), float64(m)*having/total) +
		term(float64(m-b), float64(m)*(total-having)/total)
	return max(2*g, 0)
}

func term(observed, expected float64) float64 {
	if observed == 0 {
		return 0
	}
	return observed * math.Log(observed/expected)
}
