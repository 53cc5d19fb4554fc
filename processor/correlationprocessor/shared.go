package correlationprocessor

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/processor"
)

// instances are the processors in use. The collector hands every pipeline that
// names a processor one and the same configuration, and logs need the keys that
// spans of their trace carry, so the traces and logs of one configuration share
// one processor.
var instances = struct {
	mu sync.Mutex
	by map[*Config]*instance
}{by: map[*Config]*instance{}}

type instance struct {
	*correlation
	users int
}

// acquire gives the processor of a configuration and what lets it go.
func acquire(set processor.Settings, cfg *Config) (*correlation, func(context.Context) error, error) {
	instances.mu.Lock()
	defer instances.mu.Unlock()
	i := instances.by[cfg]
	if i == nil {
		c, err := newCorrelation(set, cfg)
		if err != nil {
			return nil, nil, err
		}
		i = &instance{correlation: c}
		instances.by[cfg] = i
	}
	i.users++
	return i.correlation, func(context.Context) error {
		instances.mu.Lock()
		defer instances.mu.Unlock()
		if i.users--; i.users == 0 && instances.by[cfg] == i {
			delete(instances.by, cfg)
		}
		return nil
	}, nil
}
