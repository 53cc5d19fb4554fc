package up

import (
	"context"
	"fmt"
	"time"

	"github.com/trackwayhq/trackway/internal/pause"
)

// leftoverWait is how long `up` waits for children of an earlier run to finish:
// after a kill -9 of `up` they stop by themselves, the collector by draining.
const leftoverWait = 10 * time.Second

// waitForLeftovers waits until no child that the last status file names is
// running any more.
func waitForLeftovers(ctx context.Context, d *dataDir) error {
	deadline := time.Now().Add(leftoverWait)
	for _, c := range lastChildren(d) {
		for c.PID != 0 && c.StartTime != 0 && processStartTime(c.PID) == c.StartTime {
			if time.Now().After(deadline) {
				return fmt.Errorf("data directory %s is in use: the %s of an earlier run (pid %d) has not stopped within %s: end it with `kill %d` and start again",
					d.path, c.Name, c.PID, leftoverWait, c.PID)
			}
			if err := pause.For(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return nil
}

// lastChildren are the children of the run that left its status file, if any.
// Without a readable file nothing is known to wait for.
func lastChildren(d *dataDir) []ChildStatus {
	last, err := ReadStatus(d.path)
	if err != nil {
		return nil
	}
	return last.Children
}
