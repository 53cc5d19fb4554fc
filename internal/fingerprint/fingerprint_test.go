package fingerprint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/golden"
)

// Each testdata/<language>/<case>.txt is a stack, <case>.golden what was read of
// it. <case>.again.txt is the same error of another build or release.
func TestStacks(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if strings.HasSuffix(file, ".again.txt") {
			continue
		}
		name := strings.TrimSuffix(file, ".txt")
		t.Run(strings.TrimPrefix(filepath.ToSlash(name), "testdata/"), func(t *testing.T) {
			stack := read(t, file)
			golden.Equal(t, name+".golden", describe(stack))
			language, _ := Frames(stack)
			assert.Equal(t, filepath.Base(filepath.Dir(file)), language.String())

			if _, err := os.Stat(name + ".again.txt"); err == nil {
				again := read(t, name+".again.txt")
				assert.Equal(t, Group(&Error{Stack: stack}), Group(&Error{Stack: again}), describe(again))
			}
			crlf := strings.ReplaceAll(stack, "\n", "\r\n")
			assert.Equal(t, Group(&Error{Stack: stack}), Group(&Error{Stack: crlf}), "with line ends of Windows")
		})
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}

// describe gives the frames of a stack, those in the application with a *, what of
// them counts, and the group of an error with this stack alone.
func describe(stack string) string {
	var b strings.Builder
	language, frames := Frames(stack)
	fmt.Fprintf(&b, "version %d %s %016x\n", Version, language, Group(&Error{Stack: stack}))
	for _, f := range frames {
		mark := " "
		if f.InApp {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s | %s\n    %s\n", mark, f.Function, f.File, appendFrame(nil, language, &f))
	}
	if language == Unknown {
		fmt.Fprintf(&b, "%s\n", appendShape(nil, stack, maxTextShape))
	}
	return b.String()
}

func TestEveryFieldCounts(t *testing.T) {
	base := Error{Service: "api", Route: "/orders/:id", Type: "E", Message: "order 17 failed", Stack: "at pay (/app/a.js:1:2)"}
	seen := map[uint64]string{Group(&base): "base"}
	for name, change := range map[string]func(*Error){
		"service": func(e *Error) { e.Service = "web" },
		"route":   func(e *Error) { e.Route = "/carts/:id" },
		"type":    func(e *Error) { e.Type = "F" },
		"message": func(e *Error) { e.Message = "order 17 passed" },
		"stack":   func(e *Error) { e.Stack = "at refund (/app/a.js:1:2)" },
	} {
		e := base
		change(&e)
		other, taken := seen[Group(&e)]
		assert.False(t, taken, "%s gives the group of %s", name, other)
		seen[Group(&e)] = name
	}
	assert.Zero(t, Group(&Error{Service: "api", Route: "/"}))
}

// A known error has a known group. When this fails, raise Version.
func TestVersion(t *testing.T) {
	assert.Equal(t, 1, Version)
	assert.Equal(t, "38cfd8094c78adec", fmt.Sprintf("%016x", Group(&Error{
		Service: "api", Route: "/orders/:id", Type: "*errors.errorString", Message: "order 17 of 'jo' failed",
		Stack: "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:9 +0x1\n",
	})))
}

func TestShape(t *testing.T) {
	for in, want := range map[string]string{
		"":                                 "",
		"order 17 failed":                  "order # failed",
		"order o_17x failed":               "order # failed",
		`user "jo" don't`:                  "user # don't",
		"got 'a' and `b`":                  "got # and #",
		"open \"unclosed":                  "open \"unclosed",
		"dial tcp 10.0.0.1:5432: refused":  "dial tcp #: refused",
		"at 2026-11-30T12:00:00.123Z":      "at #",
		"offset -5, want +5":               "offset #, want #",
		"took 1,024.5 ms":                  "took # ms",
		"mail to jo.doe@mail.example.com.": "mail to jo.#.",
		"id deadbeefcafe":                  "id #",
		"id abcdefab-abcd-abcd-abcd-abcdefabcdef here": "id # here",
		"a \n\t b":    "a b",
		"größe fehlt": "größe fehlt",
		"0x7f00 at":   "# at",
	} {
		assert.Equal(t, want, string(appendShape(nil, in, maxShape)), "%q", in)
	}
	group := func(message string) uint64 { return Group(&Error{Service: "api", Type: "E", Message: message}) }
	assert.Equal(t, group("order 17 of 'jo' failed, don't retry"), group("order 18 of 'al' failed, don't retry"))
	long := strings.Repeat("word ", 100)
	assert.Equal(t, appendShape(nil, "1 "+long, maxShape), appendShape(nil, strings.Repeat("7", 300)+" "+long, maxShape), "a value's length moves the cut")
}

func FuzzGroup(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.txt")
	require.NoError(f, err)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add("E", "order 17 of 'jo'", string(b))
	}
	f.Fuzz(func(t *testing.T, typ, message, stack string) {
		e := &Error{Type: typ, Message: message, Stack: stack}
		if g := Group(e); g != Group(e) || (g == 0) != (typ+message+stack == "") {
			t.Fatalf("group %x", g)
		}
		// All frames and only those that count agree.
		language, frames := Frames(stack)
		var inner, outer [groupFrames]Frame
		short := trace{frames: inner[:0], wrapping: outer[:0]}
		short.parse(stack)
		var want []Frame
		for i, fr := range frames {
			appendFrame(nil, language, &frames[i])
			if fr.InApp && len(want) < groupFrames && (len(want) == 0 || want[len(want)-1] != fr) {
				want = append(want, fr)
			}
		}
		if language != short.language || !slices.Equal(want, short.frames) {
			t.Fatalf("%s %+v, all frames give %+v", short.language, short.frames, want)
		}
	})
}

func BenchmarkGroup(b *testing.B) {
	for _, name := range []string{"go/panic", "java/caused_by", "python/traceback", "node/async", "dotnet/async", "ruby/rails", "php/trace", "unknown/elixir"} {
		stack, err := os.ReadFile("testdata/" + name + ".txt")
		require.NoError(b, err)
		e := &Error{Service: "api", Route: "/orders/:id", Type: "E", Message: "order 17 of 'jo' failed", Stack: string(stack)}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(stack)))
			for b.Loop() {
				Group(e)
			}
		})
	}
	// The most that a stack can cost.
	worst := &Error{Type: "E", Stack: "at a.b(C.java:1)\n" + strings.Repeat("at x\n", 1<<20)}
	b.Run("hostile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Group(worst)
		}
	})
}
