package faultfs_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/crash/faultfs"
)

func mount(t *testing.T, d *faultfs.Disk) (dir string, unmount func()) {
	t.Helper()
	dir = t.TempDir()
	end, err := d.Mount(dir)
	require.NoError(t, err)
	mounted := true
	unmount = func() {
		if mounted {
			require.NoError(t, end())
		}
		mounted = false
	}
	t.Cleanup(unmount)
	return dir, unmount
}

// shell runs a command in dir, in a process of its own.
func shell(t *testing.T, dir, command string) error {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "bash", "-c", "cd '"+dir+"' && "+command)
	out, err := cmd.CombinedOutput()
	t.Logf("%s: %s%v", command, out, err)
	return err
}

// tree lists the files of a disk with their content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir+"/")] = string(content)
		return err
	}))
	return out
}

func TestItIsAFileSystem(t *testing.T) {
	dir, _ := mount(t, faultfs.New())
	require.NoError(t, shell(t, dir, `mkdir -p a/b && echo one > a/b/f && echo two >> a/b/f && mv a/b/f a/g && ln a/g a/h && ln -s g a/s &&
		cat a/s && [ "$(stat -c %h a/g)" = 2 ] && rm a/g && [ "$(stat -c %h a/h)" = 1 ] && truncate -s 3 a/h && fallocate -l 8 a/h && rmdir a/b && ! rmdir a 2>/dev/null`))
	require.NoError(t, os.Remove(filepath.Join(dir, "a", "s")))
	require.Equal(t, map[string]string{"a/h": "one\x00\x00\x00\x00\x00"}, tree(t, dir))
}

// What each sync keeps over a power failure that takes everything it can.
func TestCutPower(t *testing.T) {
	for _, tt := range []struct {
		name, commands string
		want           map[string]string
	}{
		{"nothing is synced", `echo x > f`, map[string]string{}},
		{"a file's sync keeps its name and its directory", `mkdir a && echo x > a/f && sync a/f`, map[string]string{"a/f": "x\n"}},
		{"so does fdatasync of a new file", `echo x > f && sync -d f`, map[string]string{"f": "x\n"}},
		{"what came later is gone", `echo x > f && sync f && echo y >> f && echo z > g`, map[string]string{"f": "x\n"}},
		{"a rename after the sync", `echo x > f && sync f && mv f g`, map[string]string{"f": "x\n"}},
		{"a rename is not covered by fdatasync", `echo x > f && sync f && mv f g && sync -d g`, map[string]string{"f": "x\n"}},
		{"a rename with fsync", `echo x > f && mv f g && sync g`, map[string]string{"g": "x\n"}},
		{"a directory's sync keeps names, not content", `echo x > f && sync .`, map[string]string{"f": ""}},
		{"the log of names keeps its order", `echo x > f && mkdir a && echo y > a/g && sync a/g`, map[string]string{"f": "", "a/g": "y\n"}},
		{"a removed name comes back", `echo x > f && sync f && rm f`, map[string]string{"f": "x\n"}},
		{"a renamed directory, synced", `mkdir a && echo x > a/f && sync a/f && mv a b && sync b`, map[string]string{"b/f": "x\n"}},
		{"a renamed directory, with fdatasync", `mkdir a && echo x > a/f && sync a/f && mv a b && sync -d b`, map[string]string{"b/f": "x\n"}},
		{"a file renamed over", `echo 1 > f && sync f && echo 2 > n && sync n && mv n f`, map[string]string{"f": "1\n", "n": "2\n"}},
		{"attribute S", `touch f && chattr +S f && echo x >> f`, map[string]string{"f": "x\n"}},
		{"attribute S of the directory", `mkdir a && chattr +S a && echo x > a/f`, map[string]string{"a/f": "x\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := faultfs.New()
			dir, unmount := mount(t, d)
			require.NoError(t, shell(t, dir, tt.commands))
			unmount()
			d.CutPower(nil)
			dir, _ = mount(t, d)
			require.Equal(t, tt.want, tree(t, dir))
		})
	}
}

// A power failure may also leave more than was synced, down to everything, and
// never less.
func TestCutPowerAtRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := make(map[string]int)
	for range 60 {
		d := faultfs.New()
		dir, unmount := mount(t, d)
		f, err := os.Create(filepath.Join(dir, "f"))
		require.NoError(t, err)
		require.NoError(t, f.Sync())
		for _, text := range []string{"aaa", "bbb"} {
			_, err := f.WriteString(text)
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
		require.NoError(t, os.Rename(filepath.Join(dir, "f"), filepath.Join(dir, "g")))
		unmount()
		d.CutPower(random)
		dir, unmount = mount(t, d)
		for name, content := range tree(t, dir) {
			found[name+" "+content]++
		}
		unmount()
	}
	for _, want := range []string{"f ", "g ", "f aaa", "g aaabbb", "f \x00\x00\x00bbb"} {
		require.NotZero(t, found[want], "%q in %q", want, found)
	}
	require.Len(t, found, 8, "%q", found)
}

// Three processes, each killed at another call; what came before has happened.
func TestTrap(t *testing.T) {
	const commands = `echo one > f && sync f && mv f g && echo two >> g; echo survived > other`
	for _, tt := range []struct {
		trap faultfs.Trap
		want map[string]string
		call string
	}{
		{faultfs.Trap{Kinds: []faultfs.Kind{faultfs.Rename}, Nth: 1}, map[string]string{}, "create /f"},
		{faultfs.Trap{Kinds: []faultfs.Kind{faultfs.Write}, Nth: 1}, map[string]string{"f": ""}, "write /f"},
		{faultfs.Trap{Kinds: []faultfs.Kind{faultfs.Write}, Nth: 1, Tear: true}, map[string]string{"f": "on"}, "write /f"},
		{faultfs.Trap{Below: []string{"/g"}, Nth: 2}, map[string]string{"g": "one\n"}, "write /g"},
	} {
		t.Run(tt.call, func(t *testing.T) {
			d := faultfs.New()
			dir, _ := mount(t, d)
			d.Arm(&tt.trap)
			require.Error(t, shell(t, dir, commands))
			<-tt.trap.Sprung()
			require.Equal(t, tt.call, tt.trap.Call())
			require.Equal(t, tt.want, tree(t, dir))
			require.Error(t, os.WriteFile(filepath.Join(dir, "late"), nil, 0o600), "nothing reaches the disk any more")
			d.Arm(nil)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "late"), nil, 0o600))
		})
	}
}

// A file that is open stays readable when it has no name.
func TestUnlinkedFile(t *testing.T) {
	dir, _ := mount(t, faultfs.New())
	f, err := os.OpenFile(filepath.Join(dir, "f"), os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	require.NoError(t, os.Remove(f.Name()))
	_, err = f.WriteAt([]byte("abc"), 2)
	require.NoError(t, err)
	got := make([]byte, 5)
	_, err = f.ReadAt(got, 0)
	require.NoError(t, err)
	require.Equal(t, "\x00\x00abc", string(got))
	require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	require.NoError(t, f.Close())
}
