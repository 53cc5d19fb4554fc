package faultfs

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// Kind is what a call does to the disk.
type Kind string

// The kinds of calls that change something.
const (
	Write  Kind = "write"  // write, pwrite64, writev, truncate, fallocate
	Sync   Kind = "sync"   // fsync and fdatasync, of files and directories
	Rename Kind = "rename" // any change of names: create, mkdir, link, rename, unlink, rmdir
)

// Trap kills at a call. It is set by Disk.Arm.
type Trap struct {
	// Kinds are the calls that count; all if empty.
	Kinds []Kind
	// Below restricts them to paths that contain one of these; all if empty.
	Below []string
	// Nth is the call that does not happen, from 1.
	Nth int
	// Tear lets the first half of the write at which it kills reach the file.
	Tear bool
	// Kill ends further processes that use the disk, at the same moment.
	Kill func()

	left    int
	tearing bool
	sprung  chan struct{}
	call    string
}

// Sprung is closed when the trap has killed.
func (t *Trap) Sprung() <-chan struct{} { return t.sprung }

// Call is the call at which it killed, for messages.
func (t *Trap) Call() string { return t.call }

// Arm sets the trap; nil takes it away, and what it has stopped goes on.
func (d *Disk) Arm(t *Trap) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trap = t
	if t != nil {
		t.left, t.sprung = t.Nth, make(chan struct{})
	}
}

// Calls is how many calls of each kind there have been.
func (d *Disk) Calls() map[Kind]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make(map[Kind]int, len(d.calls))
	for k, n := range d.calls {
		out[k] = n
	}
	return out
}

// enter is called with the lock before a call changes anything, and refuses it
// once the trap has sprung. The program that made the call does not see the
// refusal: it has a SIGKILL to receive first.
func (d *Disk) enter(ctx context.Context, kind Kind, call, path string) syscall.Errno {
	d.calls[kind]++
	t := d.trap
	if t == nil {
		return 0
	}
	if t.left == 0 {
		return syscall.EIO
	}
	caller, ok := fuse.FromContext(ctx)
	if !ok || !t.counts(kind, path) || isOwn(caller.Pid) {
		return 0
	}
	t.left--
	if t.left > 0 {
		return 0
	}
	t.tearing = t.Tear
	t.call = call + " " + path
	if t.Kill != nil {
		t.Kill()
	}
	if err := syscall.Kill(int(caller.Pid), syscall.SIGKILL); err != nil {
		t.call += fmt.Sprintf(" (%v)", err)
	}
	close(t.sprung)
	return syscall.EIO
}

func (t *Trap) counts(kind Kind, path string) bool {
	found := len(t.Kinds) == 0
	for _, k := range t.Kinds {
		found = found || k == kind
	}
	if !found || len(t.Below) == 0 {
		return found
	}
	for _, p := range t.Below {
		if strings.Contains(path, p) {
			return true
		}
	}
	return false
}

// isOwn tells whether a thread belongs to this process, the test itself.
func isOwn(thread uint32) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", thread))
	return err == nil
}
