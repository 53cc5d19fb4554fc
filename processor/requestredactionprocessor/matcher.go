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

// matcher says whether the value of a key is masked.
type matcher struct {
	exact    map[string]struct{} // folded
	patterns []string            // folded
	except   map[string]struct{} // folded whole keys

	// remembered is replaced whole by whoever adds a key, so that looking up
	// takes no lock.
	remembered atomic.Pointer[map[string]bool]
	adding     sync.Mutex
}

func newMatcher(cfg *Config) *matcher {
	m := &matcher{
		exact:  make(map[string]struct{}),
		except: make(map[string]struct{}),
	}
	m.remembered.Store(&map[string]bool{})
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

// masks says whether the value under key is masked.
func (m *matcher) masks(key string) bool {
	if masked, known := (*m.remembered.Load())[key]; known {
		return masked
	}
	masked := m.match(fold(key))
	m.remember(strings.Clone(key), masked)
	return masked
}

func (m *matcher) remember(key string, masked bool) {
	if len(*m.remembered.Load()) >= maxRemembered {
		return
	}
	m.adding.Lock()
	defer m.adding.Unlock()
	next := maps.Clone(*m.remembered.Load())
	next[key] = masked
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
