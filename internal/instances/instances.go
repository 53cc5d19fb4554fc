// Package instances gives all pipelines that name one component of the collector
// the same instance: factories are asked for each signal apart.
package instances

import "sync"

// Map holds the instances that run, by their configuration.
type Map[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

// Get gives the instance of a configuration. If there is none it makes one, which
// calls remove when it is shut down: the next Get makes another.
func (s *Map[K, V]) Get(config K, create func(remove func()) (V, error)) (V, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.m[config]; ok {
		return v, nil
	}
	v, err := create(func() { s.remove(config) })
	if err != nil {
		return v, err
	}
	if s.m == nil {
		s.m = map[K]V{}
	}
	s.m[config] = v
	return v, nil
}

func (s *Map[K, V]) remove(config K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, config)
}
