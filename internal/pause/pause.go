// Package pause waits without outliving its context.
package pause

import (
	"context"
	"time"
)

// For waits for d, or until ctx ends, whose cause it returns. It does not wait
// when d is not above 0.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
