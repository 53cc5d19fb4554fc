package requesteventreceiver

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/receiver"
)

// instances holds the receivers that run, by their configuration: the traces and
// the logs pipeline share one, because a body carries items of both.
type instances struct {
	mu sync.Mutex
	m  map[*Config]*shared
}

// shared starts and stops a receiver once, however many pipelines hold it.
type shared struct {
	*requestEventReceiver
	start, stop sync.Once
	remove      func()
}

func (i *instances) get(set receiver.Settings, cfg *Config) (*shared, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s, ok := i.m[cfg]; ok {
		return s, nil
	}
	r, err := newReceiver(set, cfg)
	if err != nil {
		return nil, err
	}
	s := &shared{requestEventReceiver: r, remove: func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.m, cfg)
	}}
	if i.m == nil {
		i.m = make(map[*Config]*shared)
	}
	i.m[cfg] = s
	return s, nil
}

// Start listens.
func (s *shared) Start(ctx context.Context, host component.Host) (err error) {
	s.start.Do(func() { err = s.requestEventReceiver.Start(ctx, host) })
	return err
}

// Shutdown stops listening and waits for the requests in hand.
func (s *shared) Shutdown(ctx context.Context) (err error) {
	s.stop.Do(func() {
		s.remove()
		err = s.requestEventReceiver.Shutdown(ctx)
	})
	return err
}
