package up

import (
	"os/exec"
	"runtime"
	"time"
)

// spawner starts processes from one operating system thread that lives as long
// as the spawner. The parent-death signal of Linux is sent when the *thread*
// that forked ends, and Go ends threads as it likes, so starting children from
// ordinary goroutines would kill them at random.
type spawner struct {
	requests chan spawnRequest
	done     chan struct{}
}

type spawnRequest struct {
	cmd   *exec.Cmd
	slice time.Duration
	reply chan error
}

func newSpawner() *spawner {
	s := &spawner{requests: make(chan spawnRequest), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		// Never unlocked: the thread ends with this goroutine, after stop.
		runtime.LockOSThread()
		for r := range s.requests {
			r.reply <- startWithSlice(r.cmd, r.slice)
		}
	}()
	return s
}

// start is cmd.Start on the spawner's thread. The process gets turns of the length
// slice from the scheduler, 0 for the default.
func (s *spawner) start(cmd *exec.Cmd, slice time.Duration) error {
	reply := make(chan error, 1)
	s.requests <- spawnRequest{cmd, slice, reply}
	return <-reply
}

// startWithSlice starts a process that takes its slice from the calling thread. A
// system that knows no slices, or a sandbox that forbids them, runs it as well.
func startWithSlice(cmd *exec.Cmd, slice time.Duration) error {
	if slice > 0 && setSlice(slice) == nil {
		defer func() { _ = setSlice(0) }()
	}
	return cmd.Start()
}

// stop ends the thread. Children that still run get the parent-death signal.
func (s *spawner) stop() {
	close(s.requests)
	<-s.done
}
