package fingerprint

import "strings"

// Language is one whose stacks are understood.
type Language uint8

// The languages; Unknown is any other.
const (
	Unknown Language = iota
	Go
	Java
	Python
	Node
	DotNet
	Ruby
	PHP
)

var languageNames = [...]string{"unknown", "go", "java", "python", "node", "dotnet", "ruby", "php"}

func (l Language) String() string { return languageNames[l] }

// Frame is one call of a stack, as it was written there.
type Frame struct {
	Function string
	// File is where it stands, without line and column.
	File string
	// InApp is false for the frames of the standard library, of dependencies and
	// of generated code.
	InApp bool
}

// Frames parses a stack: the frames of the error at the root of its chain that
// lie in the application, innermost first, and between them all the others.
func Frames(stack string) (Language, []Frame) {
	t := trace{all: true}
	t.parse(stack)
	return t.language, t.frames
}

// trace gathers the frames of one stack. A stack can hold several errors, one the
// cause of the other. The frames that count are those of the root, or, when all
// of its frames lie in libraries, of the nearest error around it.
type trace struct {
	language Language
	all      bool // keeps the frames of libraries, and any number
	frames   []Frame
	wrapping []Frame // of the error around this one
}

func (t *trace) parse(stack string) {
	t.language = detect(stack)
	if len(stack) > maxStack {
		if t.language == Python { // the innermost frame is the last
			stack = stack[len(stack)-maxStack:]
		} else {
			stack = stack[:maxStack]
		}
	}
	switch t.language { // called directly, so that nothing escapes to the heap
	case Unknown:
	case Go:
		t.golang(stack)
	case Java:
		t.java(stack)
	case Python:
		t.python(stack)
	case Node:
		t.node(stack)
	case DotNet:
		t.dotnet(stack)
	case Ruby:
		t.ruby(stack)
	case PHP:
		t.php(stack)
	}
	if !t.inApp() && len(t.wrapping) > 0 {
		t.frames = t.wrapping
	}
}

// add takes a frame. A recursion is one frame, however deep it went.
func (t *trace) add(f Frame) {
	if !t.all && (!f.InApp || t.full()) {
		return
	}
	if n := len(t.frames); n > 0 && t.frames[n-1] == f {
		return
	}
	t.frames = append(t.frames, f)
}

// full says that no further frame of this error can count.
func (t *trace) full() bool { return !t.all && len(t.frames) == groupFrames }

func (t *trace) inApp() bool {
	for i := range t.frames {
		if t.frames[i].InApp {
			return true
		}
	}
	return false
}

// reset forgets the frames so far.
func (t *trace) reset() { t.frames = t.frames[:0] }

// cause begins the frames of what caused the error whose frames came so far.
func (t *trace) cause() {
	if t.inApp() {
		t.frames, t.wrapping = t.wrapping, t.frames
	}
	t.reset()
}

// caused ends the frames of a cause, where causes come first, and says whether
// they suffice.
func (t *trace) caused() bool {
	if t.inApp() {
		return true
	}
	t.reset()
	return false
}

// nextLine cuts the first line off s. Lines too long for a frame come empty.
func nextLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return clean(line), rest
}

// lastLine cuts the last line off s.
func lastLine(s string) (line, rest string) {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		line, rest = s[i+1:], s[:i]
	} else {
		line = s
	}
	return clean(line), rest
}

func clean(line string) string {
	if len(line) > maxLine {
		return ""
	}
	return strings.TrimSuffix(line, "\r")
}

func trimIndent(line string) string { return strings.TrimLeft(line, " \t") }

// trimNumber cuts a separator and digits off the end: the line of file.go:12.
func trimNumber(s string, separator byte) (string, bool) {
	i := len(s)
	for i > 0 && isDigit(s[i-1]) {
		i--
	}
	if i == len(s) || i == 0 || s[i-1] != separator {
		return s, false
	}
	return s[:i-1], true
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		// Most differ in the first byte already.
		if s != "" && s[0] == p[0] && strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
