package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncFlag is FS_SYNC_FL of linux/fs.h.
const syncFlag = 0x8

// setSync gives a file or directory the attribute S, unless it has it.
func setSync(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	flags, err := unix.IoctlGetUint32(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil || flags&syncFlag != 0 {
		return err
	}
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, int(flags|syncFlag))
}
