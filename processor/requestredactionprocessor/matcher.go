package requestredactionprocessor

import (
	"maps"
	"path"
	"strings"
	"sync"
	"sync/atomic"
)

// maxRemembered bounds the keys a matcher remembers. Keys come from senders; the
// ordinary ones are few and come early.
const maxRemembered = 4096

// action is what happens to the value of a key.
type action uint8

const (
	keep action = iota
	look        // for named keys inside text
	mask
)

// matcher says what happens to the value of a key.
type matcher struct {
	exact    map[string]struct{} // folded
	patterns []string            // folded
	except   map[string]struct{} // folded whole keys
	texts    map[string]struct{} // whole keys, as they are

	// remembered is replaced whole by whoever adds a key, so that looking up
	// takes no lock.
	remembered atomic.Pointer[map[string]action]
	adding     sync.Mutex
}

func newMatcher(cfg *Config) *matcher {
	m := &matcher{
		exact:  make(map[string]struct{}),
		except: make(map[string]struct{}),
		texts:  make(map[string]struct{}, len(cfg.TextAttributes)),
	}
	for _, k := range cfg.TextAttributes {
		m.texts[k] = struct{}{}
	}
	m.remembered.Store(&map[string]action{})
	for _, keys := range [...][]string{cfg.Keys, cfg.AdditionalKeys} {
		for _, k := range keys {
			k = fold(k)
			if strings.ContainsAny(k, "*?[") {
				m.patterns = append(m.patterns, k)
			} else {
				m.exact[k] = struct{}{}
			}
		}
	}
	for _, k := range cfg.ExceptKeys {
		m.except[fold(k)] = struct{}{}
	}
	return m
}

// fold makes spellings equal: Api-Key, api_key and API-KEY.
func fold(key string) string {
	return strings.ReplaceAll(strings.ToLower(key), "-", "_")
}

// of says what happens to the value under key.
func (m *matcher) of(key string) action {
	if a, known := (*m.remembered.Load())[key]; known {
		return a
	}
	a := keep
	if m.match(fold(key)) {
		a = mask
	} else if _, ok := m.texts[key]; ok {
		a = look
	}
	m.remember(strings.Clone(key), a)
	return a
}

func (m *matcher) remember(key string, a action) {
	if len(*m.remembered.Load()) >= maxRemembered {
		return
	}
	m.adding.Lock()
	defer m.adding.Unlock()
	next := maps.Clone(*m.remembered.Load())
	next[key] = a
	m.remembered.Store(&next)
}

func (m *matcher) match(folded string) bool {
	if _, ok := m.except[folded]; ok {
		return false
	}
	if m.matchName(folded) {
		return true
	}
	// The last part of db.password, and of a form's user[password].
	folded = strings.TrimSuffix(folded, "]")
	if i := strings.LastIndexAny(folded, ".["); i >= 0 {
		return m.matchName(folded[i+1:])
	}
	return false
}

func (m *matcher) matchName(name string) bool {
	if _, ok := m.exact[name]; ok {
		return true
	}
	for _, p := range m.patterns {
		// Patterns were checked by Validate; slashes are ordinary here, and
		// path.Match's star stops at them.
		if ok, err := path.Match(p, strings.ReplaceAll(name, "/", "_")); ok && err == nil {
			return true
		}
	}
	return false
}
