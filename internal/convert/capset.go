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

	routes readMostly[*valueSet] // by service
	keys   readMostly[*attrKey]
	names  readMostly[*attrName]
	facets atomic.Int32 // how many keys have facets
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
		p = &projectCaps{over: &c.over}
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
	if set := p.routesOf(service); set != nil {
		if out, ok := set.get(raw); ok {
			return out // a template is its own
		}
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

// routesOf finds or makes the routes of a service; nil when there are too many
// services.
func (p *projectCaps) routesOf(service string) *valueSet {
	set, ok := p.routes.get(service)
	if !ok && len(service) <= maxValueLen {
		set, _ = p.routes.add(strings.Clone(service), maxServices, func() *valueSet { return &valueSet{} })
	}
	return set
}

// key finds or makes the entry of a map key; nil when there are too many keys.
func (p *projectCaps) key(name string) *attrKey {
	if k, ok := p.keys.get(name); ok {
		return k
	}
	if len(name) <= maxValueLen {
		name = strings.Clone(name)
		k, ok := p.keys.add(name, maxKeys, func() *attrKey {
			k := &attrKey{name: name, other: name + "=" + Other}
			if strings.IndexByte(name, '=') < 0 && p.facets.Add(1) <= maxFacetKeys {
				k.facets = &valueSet{}
			}
			return k
		})
		if ok {
			return k
		}
	}
	p.over[fieldKey].Add(1)
	return nil
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

// valueSet maps values to what stands for them in the column.
type valueSet struct{ values readMostly[string] }

func (s *valueSet) get(v string) (string, bool) { return s.values.get(v) }

// add gives what stands for v, which is out unless others were faster; it says no
// when there are limit others.
func (s *valueSet) add(v, out string, limit int) (string, bool) {
	return s.values.add(v, limit, func() string { return out })
}
