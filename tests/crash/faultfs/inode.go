package faultfs

import (
	"math/rand/v2"
	"syscall"
	"time"
)

// pageSize is the piece in which content that was not synced survives or not.
const pageSize = 4096

// inode is a file, directory, symbolic link or socket. The disk's lock guards it.
type inode struct {
	number uint64
	mode   uint32 // with the type's bits
	uid    uint32
	gid    uint32
	mtime  time.Time
	flags  uint32 // FS_IOC_SETFLAGS

	parent *inode // where it was last, for the paths of calls
	name   string
	links  int

	entries map[string]*inode // of a directory, as programs see it
	durable map[string]*inode // the same, without what a power failure may take

	content []byte // of a file, as programs see it; of a link, its target
	synced  []byte // as of its last sync
	dirty   []change

	created uint64 // the change of names that created it
	renamed uint64 // the last change of names that concerns it
}

// change is a write, or a change of size where data is nil.
type change struct {
	offset int64
	size   int64 // after it
	data   []byte
}

func (i *inode) isDir() bool { return i.mode&syscall.S_IFMT == syscall.S_IFDIR }

func (i *inode) path() string {
	if i.parent == nil {
		return ""
	}
	return i.parent.path() + "/" + i.name
}

// apply makes a change in content.
func (c change) apply(content []byte) []byte {
	if c.data == nil {
		return resize(content, c.size)
	}
	if end := c.offset + int64(len(c.data)); end > int64(len(content)) {
		content = resize(content, end)
	}
	copy(content[c.offset:], c.data)
	return content
}

// resize cuts content or fills it up with zeros.
func resize(content []byte, size int64) []byte {
	n := int(size)
	if n <= len(content) {
		clear(content[n:]) // it may grow again
		return content[:n]
	}
	if n <= cap(content) {
		return content[:n]
	}
	grown := make([]byte, n, n+n/4)
	copy(grown, content)
	return grown
}

func (i *inode) write(offset int64, data []byte) {
	if len(data) == 0 {
		return
	}
	i.change(change{offset: offset, data: append([]byte{}, data...)})
}

func (i *inode) truncate(size int64) {
	if size != int64(len(i.content)) {
		i.change(change{size: size})
	}
}

func (i *inode) change(c change) {
	i.content = c.apply(i.content)
	i.dirty = append(i.dirty, c)
	i.mtime = time.Now()
}

// sync makes the content durable.
func (i *inode) sync() {
	for _, c := range i.dirty {
		i.synced = c.apply(i.synced)
	}
	i.dirty = nil
}

// cut leaves what a power failure does of the content: what was synced, and where
// random is given any part of what was not.
func (i *inode) cut(random *rand.Rand) {
	if random != nil {
		for _, c := range i.dirty {
			for _, piece := range c.pieces() {
				if random.IntN(2) == 0 {
					i.synced = piece.apply(i.synced)
				}
			}
		}
	}
	i.dirty = nil
	i.content = append([]byte(nil), i.synced...)
}

// pieces divides a write at the borders of pages.
func (c change) pieces() []change {
	if c.data == nil {
		return []change{c}
	}
	var out []change
	for offset, data := c.offset, c.data; len(data) > 0; {
		n := min(int64(len(data)), pageSize-offset%pageSize)
		out = append(out, change{offset: offset, data: data[:n]})
		offset, data = offset+n, data[n:]
	}
	return out
}
