package machine

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Disk is where data is written.
type Disk struct {
	FileSystem string  `json:"file_system"`
	Device     string  `json:"device"`
	Model      string  `json:"model,omitempty"`
	SyncMS     float64 `json:"sync_ms"` // median of writing 4 KiB and fdatasync
}

// String is the disk in one line.
func (d Disk) String() string {
	text := d.Device
	if d.Model != "" {
		text += " (" + d.Model + ")"
	}
	return fmt.Sprintf("%s on %s, 4 KiB written and synced in %.2f ms", d.FileSystem, text, d.SyncMS)
}

// DiskOf says what holds a directory. It refuses memory: where syncing costs
// nothing, durability is not measured.
func DiskOf(dir string) (Disk, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return Disk{}, fmt.Errorf("file system of %s: %w", dir, err)
	}
	if fs.Type == unix.TMPFS_MAGIC || fs.Type == unix.RAMFS_MAGIC {
		return Disk{}, fmt.Errorf("%s is in memory, where nothing is durable: name a directory on a disk", dir)
	}
	d, err := mounted(dir)
	if err != nil {
		return d, err
	}
	d.SyncMS, err = syncTime(dir)
	return d, err
}

// mounted finds the mount point that holds dir in /proc/self/mountinfo (proc(5)).
func mounted(dir string) (Disk, error) {
	var d Disk
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return d, err
	}
	defer file.Close()
	longest := -1
	for lines := bufio.NewScanner(file); lines.Scan(); {
		mount, source, _ := strings.Cut(lines.Text(), " - ")
		fields, from := strings.Fields(mount), strings.Fields(source)
		if len(fields) < 5 || len(from) < 2 {
			continue
		}
		point := fields[4]
		if dir != point && !strings.HasPrefix(dir, strings.TrimSuffix(point, "/")+"/") || len(point) <= longest {
			continue
		}
		longest = len(point)
		d.FileSystem, d.Device = from[0], from[1]
		d.Model = model(fields[2])
	}
	return d, nil
}

// model is what a block device says it is, by its number; "" when it says nothing.
func model(number string) string {
	device, err := filepath.EvalSymlinks("/sys/dev/block/" + number)
	if err != nil {
		return ""
	}
	for range 2 { // a partition's device is above it
		if content, err := os.ReadFile(filepath.Join(device, "device", "model")); err == nil {
			return strings.TrimSpace(string(content))
		}
		device = filepath.Dir(device)
	}
	return ""
}

// syncs is how often syncTime tries.
const syncs = 25

func syncTime(dir string) (float64, error) {
	file, err := os.CreateTemp(dir, "sync-*")
	if err != nil {
		return 0, fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	block := make([]byte, 4096)
	var times []float64
	for i := range syncs {
		begin := time.Now()
		if _, err := file.WriteAt(block, int64(i*len(block))); err != nil {
			return 0, err
		}
		if err := unix.Fdatasync(int(file.Fd())); err != nil {
			return 0, fmt.Errorf("sync in %s: %w", dir, err)
		}
		times = append(times, time.Since(begin).Seconds()*1000)
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
