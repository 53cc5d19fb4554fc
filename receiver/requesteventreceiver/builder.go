package requesteventreceiver

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"
)

// spareAttributes are those that processors add to most records, such as a
// correlation key: room for them costs less than moving all attributes.
const spareAttributes = 1

// attributeBuilder makes the attributes of one item. The map of pdata compares a
// new key with every one before it; here a set of bits tells that most keys are new.
type attributeBuilder struct {
	built  xpdata.MapBuilder
	keys   []string
	values []pcommon.Value
	seen   uint64 // a bit for each key that is there, and perhaps for others
}

// start begins a map of at most n keys.
func (b *attributeBuilder) start(n int) {
	b.built.EnsureCapacity(n + spareAttributes)
	b.keys, b.values, b.seen = b.keys[:0], b.values[:0], 0
}

// finish puts what was built into m, which it replaces.
func (b *attributeBuilder) finish(m pcommon.Map) { b.built.UnsafeIntoMap(m) }

// release lets go of what was built last.
func (b *attributeBuilder) release() {
	clear(b.keys[:cap(b.keys)])
	clear(b.values[:cap(b.values)])
}

// put gives the value of a key to be set: an empty one, or that of the same key
// before. It holds until finish, as long as no more keys come than start was told.
func (b *attributeBuilder) put(key string) pcommon.Value {
	bit := keyBit(key)
	if b.seen&bit != 0 {
		if v, known := b.get(key); known {
			return v
		}
	}
	b.seen |= bit
	v := b.built.AppendEmpty(key)
	b.keys = append(b.keys, key)
	b.values = append(b.values, v)
	return v
}

func (b *attributeBuilder) putStr(key, value string) { b.put(key).SetStr(value) }

// get finds the value of a key.
func (b *attributeBuilder) get(key string) (pcommon.Value, bool) {
	for i, k := range b.keys {
		if k == key {
			return b.values[i], true
		}
	}
	return pcommon.Value{}, false
}

func keyBit(key string) uint64 {
	if key == "" {
		return 1
	}
	n := len(key)
	return 1 << ((uint(n)*7 + uint(key[n-1])*3 + uint(key[n/2])*5 + uint(key[0])) & 63)
}
