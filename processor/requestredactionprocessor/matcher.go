package requestredactionprocessor

import (
	"maps"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// maxRemembered bounds the keys a matcher remembers. Keys come from senders; the
// ordinary ones are few and come early.
const maxRemembered = 4096

// maxRememberedKey is the longest key, in bytes, that is remembered.
const maxRememberedKey = 256

// decision is what happens to the value under a key.
type decision struct {
	rule  *rule // that redacts it whole
	skip  bool  // it is left as it is
	shape shape // in which it is looked into
}

// names are the keys of a rule.
type names struct {
	exact    map[string]struct{} // folded
	patterns []string            // folded
	rule     *rule
}

// matcher says what happens to the value of a key.
type matcher struct {
	rules  []names             // in order of precedence
	except map[string]struct{} // folded whole keys
	shapes map[string]shape    // of whole keys, as they are
	ends   endings             // of the names of all rules

	// remembered is replaced whole by whoever adds a key, so that looking up
	// takes no lock.
	remembered atomic.Pointer[map[string]decision]
	adding     sync.Mutex
}

// newMatcher makes a matcher without rules.
func newMatcher(cfg *Config) *matcher {
	m := &matcher{except: make(map[string]struct{}), shapes: make(map[string]shape)}
	for _, k := range cfg.TextAttributes {
		m.shapes[k] = shapeForm
	}
	for _, k := range cfg.SQLAttributes {
		m.shapes[k] = shapeSQL
	}
	m.remembered.Store(&map[string]decision{})
	for _, k := range cfg.ExceptKeys {
		m.except[fold(k)] = struct{}{}
	}
	return m
}

// add has r redact the values of keys.
func (m *matcher) add(keys []string, r *rule) {
	n := names{exact: make(map[string]struct{}), rule: r}
	for _, k := range keys {
		k = fold(k)
		m.ends.add(k)
		if strings.ContainsAny(k, "*?[") {
			n.patterns = append(n.patterns, k)
		} else {
			n.exact[k] = struct{}{}
		}
	}
	m.rules = append(m.rules, n)
}

// fold makes spellings equal: Api-Key, api_key and API-KEY.
func fold(key string) string {
	return strings.ReplaceAll(strings.ToLower(key), "-", "_")
}

// of says what happens to the value under key.
func (m *matcher) of(key string) decision {
	if d, known := (*m.remembered.Load())[key]; known {
		return d
	}
	d := m.decide(key)
	m.remember(strings.Clone(key), d)
	return d
}

func (m *matcher) remember(key string, d decision) {
	if len(key) > maxRememberedKey || len(*m.remembered.Load()) >= maxRemembered {
		return
	}
	m.adding.Lock()
	defer m.adding.Unlock()
	next := maps.Clone(*m.remembered.Load())
	next[key] = d
	m.remembered.Store(&next)
}

func (m *matcher) decide(key string) decision {
	if key == conventions.Marks {
		return decision{skip: true}
	}
	folded := fold(key)
	if _, ok := m.except[folded]; ok {
		return decision{skip: true}
	}
	if r := m.match(folded); r != nil {
		return decision{rule: r}
	}
	// The last part of db.password, and of a form's user[password].
	last := strings.TrimSuffix(folded, "]")
	if i := strings.LastIndexAny(last, ".["); i >= 0 {
		last = last[i+1:]
		if r := m.match(last); r != nil {
			return decision{rule: r}
		}
	}
	if s, ok := m.shapes[key]; ok {
		return decision{shape: s}
	}
	if last == "cookie" || last == "set_cookie" {
		return decision{shape: shapeCookie}
	}
	return decision{}
}

func (m *matcher) match(name string) *rule {
	for i := range m.rules {
		n := &m.rules[i]
		if _, ok := n.exact[name]; ok {
			return n.rule
		}
		for _, p := range n.patterns {
			// Patterns were checked by Validate; slashes are ordinary here, and
			// path.Match's star stops at them.
			if ok, err := path.Match(p, strings.ReplaceAll(name, "/", "_")); ok && err == nil {
				return n.rule
			}
		}
	}
	return nil
}
