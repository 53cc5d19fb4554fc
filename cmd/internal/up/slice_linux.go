package up

import (
	"time"

	"golang.org/x/sys/unix"
)

// setSlice asks the scheduler to give the calling thread, and what it starts from
// now on, turns of this length, 0 for the default: sched_setattr(2), which takes it
// in sched_runtime since Linux 6.12 and ignores it before. A thread with short turns
// waits less for its own; its share of the processor stays the same.
func setSlice(d time.Duration) error {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return err
	}
	attr.Runtime = uint64(d)
	return unix.SchedSetAttr(0, attr, 0)
}
