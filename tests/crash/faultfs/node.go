package faultfs

import (
	"context"
	"encoding/binary"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// node is an inode as the FUSE library wants it.
type node struct {
	fs.Inode
	disk  *Disk
	inode *inode
}

var (
	_ fs.NodeLookuper   = (*node)(nil)
	_ fs.NodeReaddirer  = (*node)(nil)
	_ fs.NodeGetattrer  = (*node)(nil)
	_ fs.NodeSetattrer  = (*node)(nil)
	_ fs.NodeOpener     = (*node)(nil)
	_ fs.NodeReader     = (*node)(nil)
	_ fs.NodeWriter     = (*node)(nil)
	_ fs.NodeFsyncer    = (*node)(nil)
	_ fs.NodeAllocater  = (*node)(nil)
	_ fs.NodeStatfser   = (*node)(nil)
	_ fs.NodeReadlinker = (*node)(nil)
	_ fs.NodeIoctler    = (*node)(nil)
)

func (n *node) attributes(out *fuse.Attr) {
	i := n.inode
	out.Ino, out.Mode, out.Owner = i.number, i.mode, fuse.Owner{Uid: i.uid, Gid: i.gid}
	out.Nlink = uint32(max(i.links, 0))
	out.Size = uint64(len(i.content))
	out.Blksize = pageSize
	out.Blocks = (out.Size + 511) / 512
	out.SetTimes(nil, &i.mtime, &i.mtime)
}

// child gives the library's form of an inode.
func (n *node) child(ctx context.Context, i *inode, out *fuse.EntryOut) *fs.Inode {
	c := &node{disk: n.disk, inode: i}
	c.attributes(&out.Attr)
	return n.NewInode(ctx, c, fs.StableAttr{Ino: i.number, Mode: i.mode})
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	i := n.inode.entries[name]
	if i == nil {
		return nil, syscall.ENOENT
	}
	return n.child(ctx, i, out), 0
}

func (n *node) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	out := make([]fuse.DirEntry, 0, len(n.inode.entries))
	for name, i := range n.inode.entries {
		out = append(out, fuse.DirEntry{Name: name, Ino: i.number, Mode: i.mode})
	}
	return fs.NewListDirStream(out), 0
}

func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	n.attributes(&out.Attr)
	return 0
}

func (n *node) Setattr(ctx context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	i := n.inode
	if size, ok := in.GetSize(); ok {
		if errno := n.disk.enter(ctx, Write, "truncate", i.path()); errno != 0 {
			return errno
		}
		i.truncate(int64(size))
	}
	if mode, ok := in.GetMode(); ok {
		i.mode = i.mode&syscall.S_IFMT | mode&^syscall.S_IFMT
	}
	if uid, ok := in.GetUID(); ok {
		i.uid = uid
	}
	if gid, ok := in.GetGID(); ok {
		i.gid = gid
	}
	if mtime, ok := in.GetMTime(); ok {
		i.mtime = mtime
	}
	n.attributes(&out.Attr)
	return 0
}

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&syscall.O_TRUNC != 0 {
		n.disk.mu.Lock()
		defer n.disk.mu.Unlock()
		if errno := n.disk.enter(ctx, Write, "truncate", n.inode.path()); errno != 0 {
			return nil, 0, errno
		}
		n.inode.truncate(0)
	}
	return nil, fuse.FOPEN_KEEP_CACHE, 0
}

func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	content := n.inode.content
	if off >= int64(len(content)) {
		return fuse.ReadResultData(nil), 0
	}
	return fuse.ReadResultData(dest[:copy(dest, content[off:])]), 0
}

func (n *node) Write(ctx context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	if errno := n.disk.enter(ctx, Write, "write", n.inode.path()); errno != 0 {
		if n.disk.trap.tearing {
			n.disk.trap.tearing = false
			n.inode.write(off, data[:len(data)/2])
		}
		return 0, errno
	}
	n.inode.write(off, data)
	if n.inode.flags&flagSync != 0 {
		n.disk.sync(n.inode, false)
	}
	return uint32(len(data)), 0
}

// dataSync is the flag of an fdatasync (FUSE_FSYNC_FDATASYNC).
const dataSync = 1

func (n *node) Fsync(ctx context.Context, _ fs.FileHandle, flags uint32) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	if errno := n.disk.enter(ctx, Sync, "sync", n.inode.path()); errno != 0 {
		return errno
	}
	n.disk.sync(n.inode, flags&dataSync != 0)
	return 0
}

// Allocate is fallocate in its plain form.
func (n *node) Allocate(ctx context.Context, _ fs.FileHandle, off, size uint64, mode uint32) syscall.Errno {
	if mode != 0 {
		return syscall.EOPNOTSUPP
	}
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	if errno := n.disk.enter(ctx, Write, "fallocate", n.inode.path()); errno != 0 {
		return errno
	}
	if end := int64(off + size); end > int64(len(n.inode.content)) {
		n.inode.truncate(end)
	}
	return 0
}

// Statfs tells of a disk that is large and empty.
func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	const blocks = 1 << 24
	*out = fuse.StatfsOut{Bsize: pageSize, Frsize: pageSize, Blocks: blocks, Bfree: blocks, Bavail: blocks, Files: blocks, Ffree: blocks, NameLen: 255}
	return 0
}

func (n *node) Readlink(context.Context) ([]byte, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	return n.inode.content, 0
}

// Requests and flags of linux/fs.h, for lsattr and chattr.
const (
	getFlags          = 0x80086601 // FS_IOC_GETFLAGS
	setFlags          = 0x40086602 // FS_IOC_SETFLAGS
	getAttributes     = 0x801c581f // FS_IOC_FSGETXATTR, which the kernel asks before it sets flags
	flagSync          = 0x00000008 // FS_SYNC_FL
	attributeSync     = 0x00000020 // FS_XFLAG_SYNC
	sizeOfAttributes  = 28
	sizeOfFlagsInFuse = 4
)

// Ioctl knows the flags of files.
func (n *node) Ioctl(_ context.Context, _ fs.FileHandle, cmd uint32, _ uint64, input, output []byte) (int32, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	switch {
	case cmd == getFlags && len(output) >= sizeOfFlagsInFuse:
		binary.NativeEndian.PutUint32(output, n.inode.flags)
	case cmd == getAttributes && len(output) >= sizeOfAttributes:
		clear(output)
		if n.inode.flags&flagSync != 0 {
			binary.NativeEndian.PutUint32(output, attributeSync)
		}
	case cmd == setFlags && len(input) >= sizeOfFlagsInFuse:
		n.inode.flags = binary.NativeEndian.Uint32(input)
	default:
		return 0, syscall.ENOTTY
	}
	return 0, 0
}
