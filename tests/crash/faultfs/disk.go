package faultfs

import (
	"math/rand/v2"
	"sync"
	"syscall"
	"time"
)

// Disk is the tree of files. The zero value is not ready: see New.
type Disk struct {
	mu      sync.Mutex
	root    *inode
	numbers uint64
	log     []naming // changes of names that are not durable
	logged  uint64   // how many there were, durable ones included
	trap    *Trap
	calls   map[Kind]int
}

// naming is a change of names: all of its entries together, or none.
type naming []entry

// entry is what a name in a directory leads to from now on; nothing if to is nil.
type entry struct {
	dir  *inode
	name string
	to   *inode
}

// New makes an empty disk.
func New() *Disk {
	d := &Disk{calls: make(map[Kind]int)}
	d.root = d.newInode(syscall.S_IFDIR | 0o755)
	return d
}

func (d *Disk) newInode(mode uint32) *inode {
	d.numbers++
	i := &inode{number: d.numbers, mode: mode, mtime: time.Now(), links: 1}
	if i.isDir() {
		i.entries, i.durable = make(map[string]*inode), make(map[string]*inode)
	}
	return i
}

// rename makes changes of names, for programs at once, durable when synced.
func (d *Disk) rename(entries ...entry) {
	d.logged++
	d.log = append(d.log, entries)
	for _, e := range entries {
		if old := e.dir.entries[e.name]; old != nil {
			old.renamed = d.logged
			old.links--
		}
	}
	for _, e := range entries {
		e.dir.renamed = d.logged
		e.dir.mtime = time.Now()
		if e.to == nil {
			delete(e.dir.entries, e.name)
			continue
		}
		if e.to.created == 0 {
			e.to.created = d.logged
		}
		e.to.renamed = d.logged
		e.to.links++
		e.to.parent, e.to.name = e.dir, e.name
		e.dir.entries[e.name] = e.to
	}
}

// commit makes changes of names durable, up to the one of that number.
func (d *Disk) commit(number uint64) {
	first := d.logged - uint64(len(d.log)) // changes that are durable
	if number <= first {
		return
	}
	n := number - first
	for _, change := range d.log[:n] {
		for _, e := range change {
			if e.to == nil {
				delete(e.dir.durable, e.name)
			} else {
				e.dir.durable[e.name] = e.to
			}
		}
	}
	d.log = append([]naming(nil), d.log[n:]...)
}

// sync is fsync, or fdatasync where dataOnly, which does not cover the renaming of a
// file. Of a directory both are the same, as on ext4 and XFS.
func (d *Disk) sync(i *inode, dataOnly bool) {
	i.sync()
	if dataOnly && !i.isDir() {
		d.commit(i.created)
	} else {
		d.commit(i.renamed)
	}
}

// CutPower leaves on the disk what a power failure would: what was synced and,
// where random is given, any part of what was not. Nothing may use the disk
// meanwhile; it can be mounted again.
func (d *Disk) CutPower(random *rand.Rand) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if random != nil {
		d.commit(d.logged - uint64(len(d.log)) + random.Uint64N(uint64(len(d.log))+1))
	}
	d.log = nil
	seen := make(map[*inode]bool)
	var walk func(i *inode)
	walk = func(i *inode) {
		if !i.isDir() {
			if !seen[i] {
				i.cut(random)
				i.links = 0
			}
			seen[i] = true
			i.links++
			return
		}
		i.entries = make(map[string]*inode, len(i.durable))
		for name, child := range i.durable {
			child.parent, child.name = i, name
			i.entries[name] = child
			walk(child)
		}
	}
	walk(d.root)
}
