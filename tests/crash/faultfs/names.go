package faultfs

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

var (
	_ fs.NodeCreater   = (*node)(nil)
	_ fs.NodeMkdirer   = (*node)(nil)
	_ fs.NodeMknoder   = (*node)(nil)
	_ fs.NodeSymlinker = (*node)(nil)
	_ fs.NodeLinker    = (*node)(nil)
	_ fs.NodeUnlinker  = (*node)(nil)
	_ fs.NodeRmdirer   = (*node)(nil)
	_ fs.NodeRenamer   = (*node)(nil)
)

// make puts a new inode under a name.
func (n *node) make(ctx context.Context, call, name string, mode uint32, target string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	if errno := n.disk.enter(ctx, Rename, call, n.inode.path()+"/"+name); errno != 0 {
		return nil, errno
	}
	if n.inode.entries[name] != nil {
		return nil, syscall.EEXIST
	}
	i := n.disk.newInode(mode)
	i.links = 0
	if caller, ok := fuse.FromContext(ctx); ok {
		i.uid, i.gid = caller.Uid, caller.Gid
	}
	if target != "" {
		i.content, i.synced = []byte(target), []byte(target)
	}
	i.flags = n.inode.flags & flagSync // as ext4 does
	n.disk.rename(entry{n.inode, name, i})
	return n.child(ctx, i, out), 0
}

func (n *node) Create(ctx context.Context, name string, _, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	i, errno := n.make(ctx, "create", name, syscall.S_IFREG|mode&^syscall.S_IFMT, "", out)
	return i, nil, fuse.FOPEN_KEEP_CACHE, errno
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, "mkdir", name, syscall.S_IFDIR|mode&^syscall.S_IFMT, "", out)
}

func (n *node) Mknod(ctx context.Context, name string, mode, _ uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, "mknod", name, mode, "", out)
}

func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, "symlink", name, syscall.S_IFLNK|0o777, target, out)
}

func (n *node) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	to, ok := target.(*node)
	if !ok {
		return nil, syscall.EXDEV
	}
	if errno := n.disk.enter(ctx, Rename, "link", n.inode.path()+"/"+name); errno != 0 {
		return nil, errno
	}
	n.disk.rename(entry{n.inode, name, to.inode})
	return n.child(ctx, to.inode, out), 0
}

func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	return n.remove(ctx, "unlink", name)
}

func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	return n.remove(ctx, "rmdir", name)
}

func (n *node) remove(ctx context.Context, call, name string) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	i := n.inode.entries[name]
	if i == nil {
		return syscall.ENOENT
	}
	if len(i.entries) > 0 {
		return syscall.ENOTEMPTY
	}
	if errno := n.disk.enter(ctx, Rename, call, n.inode.path()+"/"+name); errno != 0 {
		return errno
	}
	n.disk.rename(entry{n.inode, name, nil})
	return 0
}

// Flags of renameat2.
const (
	renameNoReplace = 1
	renameExchange  = 2
)

func (n *node) Rename(ctx context.Context, name string, newParent fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	parent, ok := newParent.(*node)
	if !ok {
		return syscall.EXDEV
	}
	from, to := n.inode.entries[name], parent.inode.entries[newName]
	switch {
	case from == nil, flags&renameExchange != 0 && to == nil:
		return syscall.ENOENT
	case flags&renameNoReplace != 0 && to != nil:
		return syscall.EEXIST
	case flags&renameExchange == 0 && to != nil && len(to.entries) > 0:
		return syscall.ENOTEMPTY
	}
	if errno := n.disk.enter(ctx, Rename, "rename", n.inode.path()+"/"+name+" to "+parent.inode.path()+"/"+newName); errno != 0 {
		return errno
	}
	if flags&renameExchange == 0 {
		to = nil
	}
	n.disk.rename(entry{n.inode, name, to}, entry{parent.inode, newName, from})
	return 0
}
