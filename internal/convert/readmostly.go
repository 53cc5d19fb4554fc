package convert

import (
	"maps"
	"sync"
	"sync/atomic"
)

// readMostly is a map that is read for every attribute of every record, by all
// senders at once, and soon grows no more. Reading it takes no lock: a lock that is
// only shared still passes its cache line from one core to the other.
type readMostly[V any] struct {
	// published is a copy of all, as of some time ago. It is never changed.
	published atomic.Pointer[map[string]V]

	size atomic.Int32 // of all

	mu     sync.Mutex
	all    map[string]V
	misses int // of published, for what all has
}

// get gives the value of key, and whether there is one.
func (m *readMostly[V]) get(key string) (V, bool) {
	var none V
	if p := m.published.Load(); p != nil {
		if v, ok := (*p)[key]; ok {
			return v, true
		}
		if len(*p) == int(m.size.Load()) {
			return none, false
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.all[key]
	if ok {
		if m.misses++; m.misses >= len(m.all) {
			m.publish() // copying costs no more than looking did
		}
	}
	return v, ok
}

func (m *readMostly[V]) publish() {
	m.misses = 0
	p := maps.Clone(m.all)
	m.published.Store(&p)
}

// add gives the value of key, made unless there is one, and says no when there are
// limit others.
func (m *readMostly[V]) add(key string, limit int, make func() V) (V, bool) {
	var none V
	if p := m.published.Load(); p != nil && len(*p) >= limit {
		v, ok := (*p)[key]
		return v, ok
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.all[key]; ok {
		return v, true
	}
	if len(m.all) >= limit {
		return none, false
	}
	if m.all == nil {
		m.all = map[string]V{}
	}
	v := make()
	m.all[key] = v
	m.size.Store(int32(len(m.all)))
	if len(m.all) == limit {
		m.publish() // from now on nothing needs the lock
	}
	return v, true
}
