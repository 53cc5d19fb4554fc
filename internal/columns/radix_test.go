package columns

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSortRefs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, smallSort - 1, smallSort, 1000} {
		for _, mask := range []uint64{0, 3, 0xff00, 0xff00ff, ^uint64(0)} {
			a := make([]ref, n)
			for i := range a {
				a[i] = ref{r.Uint64() & mask, uint32(i)}
			}
			want := slices.Clone(a)
			slices.SortStableFunc(want, func(x, y ref) int { return cmp.Compare(x.key, y.key) })
			sortRefs(a, make([]ref, n))
			assert.Equal(t, want, a, "%d of mask %x", n, mask)
		}
	}
}
