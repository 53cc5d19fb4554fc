package columns

import (
	"hash/maphash"
	"unsafe"
)

// dictionary numbers distinct strings in the order they are first seen. Entry 0 is
// the empty string. It copies what it keeps, and allocates nothing but to grow.
type dictionary struct {
	blob  []byte
	ends  []uint32 // of the entries in blob
	table []uint32 // entry+1 by hash, 0 where free; a power of two long
	hash  []uint32 // upper half of each entry's hash

	// recent finds strings by their address before they are hashed: names and
	// resource attributes are the same string in memory row after row. The cache
	// keeps the strings alive, so that an address cannot be given out again.
	recent [recentSize]struct {
		s string
		i uint32
	}
}

const (
	recentSize   = 256
	minTableSize = 256
)

var seed = maphash.MakeSeed()

func (d *dictionary) reset() {
	d.blob, d.ends, d.hash = d.blob[:0], append(d.ends[:0], 0), append(d.hash[:0], 0)
	if d.table == nil {
		d.table = make([]uint32, minTableSize)
	} else {
		clear(d.table)
	}
	clear(d.recent[:])
}

func (d *dictionary) len() int { return len(d.ends) }

// at gives an entry. It shares the dictionary's memory.
func (d *dictionary) at(i uint32) []byte {
	if i == 0 {
		return nil
	}
	return d.blob[d.ends[i-1]:d.ends[i]]
}

// index gives the number of s, which must not be changed in memory before reset.
func (d *dictionary) index(s string) uint32 {
	if s == "" {
		return 0
	}
	p := uintptr(unsafe.Pointer(unsafe.StringData(s)))
	e := &d.recent[(p>>3^p>>11^uintptr(len(s)))%recentSize]
	if len(e.s) == len(s) && unsafe.StringData(e.s) == unsafe.StringData(s) {
		return e.i
	}
	i := d.lookup(unsafe.Slice(unsafe.StringData(s), len(s)))
	e.s, e.i = s, i
	return i
}

// lookup gives the number of s, which is copied.
func (d *dictionary) lookup(s []byte) uint32 {
	if len(s) == 0 {
		return 0
	}
	h := maphash.Bytes(seed, s)
	top := uint32(h >> 32)
	mask := uint32(len(d.table) - 1)
	at := uint32(h) & mask
	for ; d.table[at] != 0; at = (at + 1) & mask {
		if i := d.table[at] - 1; d.hash[i] == top && string(d.at(i)) == string(s) {
			return i
		}
	}
	i := uint32(len(d.ends))
	d.blob = append(d.blob, s...)
	d.ends = append(d.ends, uint32(len(d.blob)))
	d.hash = append(d.hash, top)
	d.table[at] = i + 1
	if 2*len(d.ends) > len(d.table) {
		d.grow()
	}
	return i
}

func (d *dictionary) grow() {
	d.table = make([]uint32, 2*len(d.table))
	mask := uint32(len(d.table) - 1)
	for i := uint32(1); int(i) < len(d.ends); i++ {
		at := uint32(maphash.Bytes(seed, d.at(i))) & mask
		for d.table[at] != 0 {
			at = (at + 1) & mask
		}
		d.table[at] = i + 1
	}
}
