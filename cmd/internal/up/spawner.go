package up

import (
	"os/exec"
	"runtime"
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
	reply chan error
}

func newSpawner() *spawner {
	s := &spawner{requests: make(chan spawnRequest), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		// Never unlocked: the thread ends with this goroutine, after stop.
		runtime.LockOSThread()
		for r := range s.requests {
			r.reply <- r.cmd.Start()
		}
	}()
	return s
}

// start is cmd.Start on the spawner's thread.
func (s *spawner) start(cmd *exec.Cmd) error {
	reply := make(chan error, 1)
	s.requests <- spawnRequest{cmd, reply}
	return <-reply
}

// stop ends the thread. Children that still run get the parent-death signal.
func (s *spawner) stop() {
	close(s.requests)
	<-s.done
}
