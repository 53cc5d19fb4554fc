package record

// Pair is one entry of a map column.
type Pair struct{ Key, Value string }

// Pairs is the content of a map column in arrival order: a slice, because a
// record has few entries, is built once and is read by scanning.
type Pairs []Pair

// Get returns the value of key and whether it is there. Where a sender repeated
// a key, the last one counts, as it does in pdata maps built from it.
func (p Pairs) Get(key string) (string, bool) {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Key == key {
			return p[i].Value, true
		}
	}
	return "", false
}

// Map copies the pairs into a map; nil when there are none.
func (p Pairs) Map() map[string]string {
	if len(p) == 0 {
		return nil
	}
	m := make(map[string]string, len(p))
	for _, kv := range p {
		m[kv.Key] = kv.Value
	}
	return m
}
