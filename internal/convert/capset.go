package convert

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// caps remembers which values each capped column of each project has had today.
// It starts anew each day, as the parts that hold the dictionaries do, so one
// bad day does not hide the next day's values.
type caps struct {
	day      atomic.Int64 // days since 1970
	mu       sync.RWMutex
	projects map[string]*projectCaps
	over     [fieldCount]atomic.Uint64
}

type projectCaps struct {
	over   *[fieldCount]atomic.Uint64
	fields [fieldKey]valueSet

	mu     sync.RWMutex
	routes map[string]*valueSet // by service
	keys   map[string]*attrKey
	facets int // how many keys have facets
}

// attrKey is a key of a map column.
type attrKey struct {
	name   string
	facets *valueSet // nil when there are too many keys with facets
	other  string    // key=(other)
}

func newCaps() *caps { return &caps{projects: map[string]*projectCaps{}} }

// project gives the sets of a project for the day of now.
func (c *caps) project(name string, now time.Time) *projectCaps {
	day := now.Unix() / 86400
	if c.day.Load() == day {
		c.mu.RLock()
		p := c.projects[name]
		c.mu.RUnlock()
		if p != nil {
			return p
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.day.Load() < day {
		c.projects = map[string]*projectCaps{}
		c.day.Store(day)
	}
	p := c.projects[name]
	if p == nil {
		p = &projectCaps{over: &c.over, routes: map[string]*valueSet{}, keys: map[string]*attrKey{}}
		c.projects[name] = p
	}
	return p
}

// value gives v, or Other when the column has had as many values as it may. The
// empty string is always itself.
func (p *projectCaps) value(f field, v string) string {
	if v == "" {
		return v
	}
	if out, ok := p.fields[f].get(v); ok {
		return out
	}
	if len(v) <= maxValueLen {
		if out, ok := p.fields[f].add(strings.Clone(v), strings.Clone(v), limits[f]); ok {
			return out
		}
	}
	p.over[f].Add(1)
	return Other
}

// route gives the template of a sender's route or of a path.
func (p *projectCaps) route(service, raw string) string {
	if raw == "" {
		return ""
	}
	set := subset(&p.mu, p.routes, service, maxServices)
	if set != nil {
		// Paths of single requests are not remembered, only their templates.
		t := Template(raw)
		if out, ok := set.get(t); ok {
			return out
		}
		if len(t) <= maxValueLen {
			t = strings.Clone(t)
			if out, ok := set.add(t, t, maxRoutes); ok {
				return out
			}
		}
	}
	p.over[fieldRoute].Add(1)
	return Other
}

// key finds or makes the entry of a map key; nil when there are too many keys.
func (p *projectCaps) key(name string) *attrKey {
	p.mu.RLock()
	k := p.keys[name]
	p.mu.RUnlock()
	if k != nil {
		return k
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if k = p.keys[name]; k != nil {
		return k
	}
	if len(p.keys) >= maxKeys || len(name) > maxValueLen {
		p.over[fieldKey].Add(1)
		return nil
	}
	name = strings.Clone(name)
	k = &attrKey{name: name, other: name + "=" + Other}
	if p.facets < maxFacetKeys && strings.IndexByte(name, '=') < 0 {
		p.facets++
		k.facets = &valueSet{}
	}
	p.keys[name] = k
	return k
}

// facet gives the item of an attribute: key=value, key=(other) when the key has
// had too many values, or (other) when there are too many keys. So a row always
// has one of three items for each of its attributes, and a search for the three
// finds every row that can match.
func (p *projectCaps) facet(k *attrKey, value string) string {
	if k == nil || k.facets == nil {
		p.over[fieldFacet].Add(1)
		return Other
	}
	if item, ok := k.facets.get(value); ok {
		return item
	}
	if len(k.name)+len(value) <= maxFacetLen {
		if item, ok := k.facets.add(strings.Clone(value), k.name+"="+value, maxFacetValues); ok {
			return item
		}
	}
	p.over[fieldFacet].Add(1)
	return k.other
}

// subset finds or makes the set of a key; nil when there are limit others.
func subset(mu *sync.RWMutex, sets map[string]*valueSet, key string, limit int) *valueSet {
	mu.RLock()
	set := sets[key]
	mu.RUnlock()
	if set != nil {
		return set
	}
	mu.Lock()
	defer mu.Unlock()
	if set = sets[key]; set == nil && len(sets) < limit && len(key) <= maxValueLen {
		set = &valueSet{}
		sets[strings.Clone(key)] = set
	}
	return set
}

// valueSet maps values to what stands for them in the column.
type valueSet struct {
	mu     sync.RWMutex
	values map[string]string
}

func (s *valueSet) get(v string) (string, bool) {
	s.mu.RLock()
	out, ok := s.values[v]
	s.mu.RUnlock()
	return out, ok
}

func (s *valueSet) add(v, out string, limit int) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if had, ok := s.values[v]; ok {
		return had, true
	}
	if len(s.values) >= limit {
		return "", false
	}
	if s.values == nil {
		s.values = map[string]string{}
	}
	s.values[v] = out
	return out, true
}
