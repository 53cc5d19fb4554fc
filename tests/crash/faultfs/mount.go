package faultfs

import (
	"fmt"
	"os"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// cacheTime is how long the kernel need not ask again: nothing but the kernel
// changes a mounted disk.
const cacheTime = time.Hour

// Mount shows the disk below dir, an empty directory, until unmount is called. It
// needs /dev/fuse, and root or fusermount3.
func (d *Disk) Mount(dir string) (unmount func() error, err error) {
	timeout := cacheTime
	server, err := fs.Mount(dir, &node{disk: d, inode: d.root}, &fs.Options{
		EntryTimeout: &timeout,
		AttrTimeout:  &timeout,
		RootStableAttr: &fs.StableAttr{
			Ino: d.root.number, Mode: d.root.mode,
		},
		MountOptions: fuse.MountOptions{
			FsName: "faultfs", Name: "faultfs", DirectMount: true, MaxWrite: fuse.MAX_KERNEL_WRITE,
			AllowOther: os.Geteuid() == 0,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("mount a file system at %s: FUSE is needed, as root or with fusermount3 (apt-get install fuse3): %w", dir, err)
	}
	return server.Unmount, nil
}
