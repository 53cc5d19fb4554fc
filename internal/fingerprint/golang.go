package fingerprint

import "strings"

// golang reads the stacks of panics, of runtime/debug and of github.com/pkg/errors
// (%+v): a line with the function, one with the file. pkg/errors writes the root
// of a chain first.
func (t *trace) golang(s string) {
	var line, function string
	started := false
	for s != "" { // to the end: a panic makes what stands above it void
		line, s = nextLine(s)
		if file, ok := goFile(line); ok && function != "" {
			started = true
			if function == "panic" || strings.HasPrefix(function, "runtime.gopanic") {
				t.reset() // what is above handled the panic
			} else {
				t.add(Frame{Function: function, File: file, InApp: goInApp(function, file)})
			}
			function = ""
			continue
		}
		if started && (strings.HasPrefix(line, "created by ") || strings.HasPrefix(line, "goroutine ")) {
			return
		}
		if started && line != "" && !goFileNext(s) && t.caused() {
			return // what follows is the error around this one
		}
		function = line
		if i := strings.LastIndexByte(line, '('); i > 0 && strings.HasSuffix(line, ")") {
			function = line[:i]
		}
	}
}

func goFileNext(s string) bool {
	line, _ := nextLine(s)
	_, ok := goFile(line)
	return ok
}

// goFile reads a line such as "\t/src/app/main.go:12 +0x1d".
func goFile(line string) (file string, ok bool) {
	if line == "" || line[0] != '\t' {
		return "", false
	}
	line, _, _ = strings.Cut(line[1:], " +0x")
	file, ok = trimNumber(line, ':')
	if !ok || !strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".s") && file != "_cgo_gotypes.go" {
		return "", false
	}
	return file, true
}

// goStandard are the first elements of the import paths of the standard library.
var goStandard = map[string]bool{
	"archive": true, "bufio": true, "bytes": true, "cmp": true, "compress": true, "container": true, "context": true,
	"crypto": true, "database": true, "debug": true, "encoding": true, "errors": true, "expvar": true, "flag": true,
	"fmt": true, "go": true, "hash": true, "html": true, "image": true, "internal": true, "io": true, "iter": true,
	"log": true, "maps": true, "math": true, "mime": true, "net": true, "os": true, "panic": true, "path": true,
	"plugin": true, "reflect": true, "regexp": true, "runtime": true, "slices": true, "sort": true, "strconv": true,
	"strings": true, "sync": true, "syscall": true, "testing": true, "text": true, "time": true, "unicode": true,
	"unique": true, "unsafe": true, "vendor": true, "weak": true,
}

// goLibraries are parts of the paths of what was not written for the application:
// the module cache (with -trimpath only its @v), vendored and extended packages.
var goLibraries = []string{"/pkg/mod/", "@v", "/vendor/", "/usr/local/go/src/", "/libexec/src/", "golang.org/x/"}

func goInApp(function, file string) bool {
	if containsAny(file, goLibraries) || strings.HasPrefix(function, "golang.org/x/") {
		return false
	}
	root := function
	if i := strings.IndexAny(root, "/."); i >= 0 {
		root = root[:i]
	}
	return !goStandard[root]
}

// appendGoFunction appends a function without the suffixes that the compiler
// numbers: closures (func1, func1.2), wrappers (gowrap1, deferwrap1), loops over
// functions (-range1) and method values (-fm).
func appendGoFunction(b []byte, function string) []byte {
	name := strings.LastIndexByte(function, '/') + 1
	b = append(b, function[:name]...)
	function = function[name:]
	for first := true; function != ""; {
		var element string
		element, function, _ = strings.Cut(function, ".")
		element, _, _ = strings.Cut(element, "-")
		if element == "" || !first && goGenerated(element) {
			continue
		}
		if !first {
			b = append(b, '.')
		}
		b = append(b, element...)
		first = false
	}
	return b
}

func goGenerated(element string) bool {
	name := strings.TrimRight(element, "0123456789")
	return name != element && (name == "" || name == "func" || name == "gowrap" || name == "deferwrap")
}
