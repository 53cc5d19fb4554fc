package clickhouserollupexporter

import (
	"context"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v7"
	"go.opentelemetry.io/collector/config/configretry"
)

// breaker keeps inserts from rushing at a store that is away or overloaded: after
// a failure one insert at a time tries, after a pause that grows; the others wait.
// They take turns, so that an insert that fails for a reason of its own does not
// hold up the rest. The first success lets all go on.
type breaker struct {
	retry configretry.BackOffConfig

	mu      sync.Mutex
	pauses  *backoff.ExponentialBackOff // nil while all is well
	healed  chan struct{}               // closed by the next success
	probing chan struct{}               // holds a token while an insert probes
}

func newBreaker(retry configretry.BackOffConfig) *breaker {
	return &breaker{retry: retry, probing: make(chan struct{}, 1)}
}

// turn waits until an insert may try. It is true when the try is a probe, which
// must end with probed.
func (b *breaker) turn(ctx context.Context, stopping <-chan struct{}) (probe bool, err error) {
	for {
		b.mu.Lock()
		healed := b.healed
		b.mu.Unlock()
		if healed == nil {
			return false, nil
		}
		select {
		case <-healed:
			continue
		case b.probing <- struct{}{}:
		case <-stopping:
			return false, errStopping
		case <-ctx.Done():
			return false, ctx.Err()
		}
		b.mu.Lock()
		if b.healed != healed {
			b.mu.Unlock()
			<-b.probing
			continue
		}
		pause := b.pauses.NextBackOff()
		b.mu.Unlock()
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			return true, nil
		case <-healed: // a try that had begun before succeeded
			err = nil
		case <-stopping:
			err = errStopping
		case <-ctx.Done():
			err = ctx.Err()
		}
		timer.Stop()
		<-b.probing
		if err != nil {
			return false, err
		}
	}
}

// probed ends a probe.
func (b *breaker) probed() { <-b.probing }

// failed and succeeded tell the breaker how a try ended.
func (b *breaker) failed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pauses != nil {
		return
	}
	b.pauses = &backoff.ExponentialBackOff{
		InitialInterval:     b.retry.InitialInterval,
		RandomizationFactor: b.retry.RandomizationFactor,
		Multiplier:          b.retry.Multiplier,
		MaxInterval:         b.retry.MaxInterval,
	}
	b.pauses.Reset()
	b.healed = make(chan struct{})
}

func (b *breaker) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pauses == nil {
		return
	}
	b.pauses = nil
	close(b.healed)
	b.healed = nil
}
