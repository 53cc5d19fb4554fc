package requesteventreceiver

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
)

// shared starts and stops a receiver once, however many pipelines hold it: traces
// and logs share one, because a body carries items of both.
type shared struct {
	*requestEventReceiver
	start, stop sync.Once
	remove      func()
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
