package columns

import (
	"cmp"
	"slices"
)

// ref is a number to sort by, and what it stands for.
type ref struct {
	key uint64
	i   uint32
}

// smallSort is the length below which counting costs more than comparing.
const smallSort = 64

// sortRefs sorts a by key, and refs of the same key by i, which must ascend in a. It
// counts digits of a byte each, from the last to the first, and leaves out those that
// are the same in all keys. tmp is memory of the same length.
func sortRefs(a, tmp []ref) {
	if len(a) < smallSort {
		slices.SortFunc(a, func(x, y ref) int {
			if c := cmp.Compare(x.key, y.key); c != 0 {
				return c
			}
			return cmp.Compare(x.i, y.i)
		})
		return
	}
	differ := uint64(0)
	for _, r := range a {
		differ |= r.key ^ a[0].key
	}
	from, to := a, tmp[:len(a)]
	for shift := 0; shift < 64; shift += 8 {
		if byte(differ>>shift) == 0 {
			continue
		}
		var ends [256]uint32
		for _, r := range from {
			ends[byte(r.key>>shift)]++
		}
		sum := uint32(0)
		for d, n := range ends {
			ends[d] = sum
			sum += n
		}
		for _, r := range from {
			d := byte(r.key >> shift)
			to[ends[d]] = r
			ends[d]++
		}
		from, to = to, from
	}
	if len(a) > 0 && &from[0] != &a[0] {
		copy(a, from)
	}
}
