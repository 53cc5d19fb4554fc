package reference

import "math/rand/v2"

// alias draws from a distribution in constant time (Walker's alias method in Vose's
// form, IEEE Transactions on Software Engineering 17(9), 1991).
type alias struct {
	keep  []float64
	other []uint32
}

func newAlias(weights []float64) *alias {
	n := len(weights)
	a := &alias{keep: make([]float64, n), other: make([]uint32, n)}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	var small, large []uint32
	for i, w := range weights {
		a.keep[i], a.other[i] = w*float64(n)/sum, uint32(i)
		if a.keep[i] < 1 {
			small = append(small, uint32(i))
		} else {
			large = append(large, uint32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small, large = small[:len(small)-1], large[:len(large)-1]
		a.other[s] = l
		a.keep[l] -= 1 - a.keep[s]
		if a.keep[l] < 1 {
			small = append(small, l)
		} else {
			large = append(large, l)
		}
	}
	for _, rest := range [][]uint32{small, large} {
		for _, i := range rest {
			a.keep[i] = 1
		}
	}
	return a
}

func (a *alias) draw(r *rand.Rand) int {
	i := r.IntN(len(a.keep))
	if r.Float64() < a.keep[i] {
		return i
	}
	return int(a.other[i])
}
