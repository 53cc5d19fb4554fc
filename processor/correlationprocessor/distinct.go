package correlationprocessor

import (
	"strings"
	"sync"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// distinctKeys admits the names of keys: those that the configuration names, and
// the first few others of each project. They stay admitted until a restart. It
// may be used by several goroutines at once.
type distinctKeys struct {
	limit int
	named map[string]bool // attributes of configured keys; never changed

	mu       sync.RWMutex
	admitted map[string]map[string]bool // attributes by project
}

func newDistinctKeys(cfg *Config) *distinctKeys {
	d := &distinctKeys{limit: cfg.MaxDistinctKeys, named: map[string]bool{}, admitted: map[string]map[string]bool{}}
	name := func(key string) { d.named[conventions.CorrelationPrefix+key] = true }
	for _, keys := range [...][]KeyConfig{cfg.Keys, cfg.AdditionalKeys} {
		for i := range keys {
			name(keys[i].Key)
		}
	}
	for _, to := range cfg.Rename {
		name(to)
	}
	for _, text := range cfg.Paths {
		if t, err := parseTemplate(text); err == nil { // Validate refuses others
			for i := range t.segments {
				if key := t.segments[i].key; key != "" {
					name(key)
				}
			}
		}
	}
	return d
}

// admit says whether a project may have the key.
func (d *distinctKeys) admit(project, attribute string) bool {
	if d.named[attribute] {
		return true
	}
	d.mu.RLock()
	known, had := d.admitted[project][attribute], len(d.admitted[project])
	d.mu.RUnlock()
	if known || had >= d.limit {
		return known
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	names := d.admitted[project]
	if names == nil {
		names = map[string]bool{}
		d.admitted[strings.Clone(project)] = names
	}
	if !names[attribute] && len(names) >= d.limit {
		return false
	}
	names[strings.Clone(attribute)] = true
	return true
}
