package fingerprint

import "github.com/cespare/xxhash/v2"

// Version of the rules. It is part of every group: raising it regroups all errors.
const Version = 1

const (
	// maxField bounds what a type, a service and a route add to the hash, in bytes.
	maxField = 256
	// maxShape is how much of a message counts, in bytes with the values cut out:
	// enough to tell messages apart. Cutting behind the normalisation keeps long
	// and short values equal.
	maxShape = 200
	// maxMessage is how much of a message is read for that, in bytes.
	maxMessage = 2 << 10
	// maxTextShape and maxText are the same for a stack that no parser knows.
	maxTextShape = 512
	maxText      = 4 << 10
	// maxStack is how much of a stack is read, in bytes. Deep ones of Java with
	// their causes have 40 KiB.
	maxStack = 64 << 10
	// maxLine is the longest line of a stack that can be a frame, in bytes.
	maxLine = 1 << 10
	// maxDetectLines is how many lines may stand before the first frame; the
	// message of an exception can have several.
	maxDetectLines = 64
	// groupFrames is how many frames of the application's own count. With more,
	// every way to a function that fails would make a group of its own.
	groupFrames = 3
	// maxFrame bounds what one frame adds to the hash, in bytes.
	maxFrame = 256
)

// Error is what an error's group depends on. Every field may be empty.
type Error struct {
	Service string
	// Route is the template of the request in which it happened.
	Route string
	// Type is the class of the exception, such as *net.OpError or KeyError.
	Type    string
	Message string
	Stack   string
}

// Group gives the error's group; 0 where there is no error: neither type, message
// nor stack. Its cost is bounded for any input.
func Group(e *Error) uint64 {
	if e.Type == "" && e.Message == "" && e.Stack == "" {
		return 0
	}
	var buf [2 << 10]byte
	b := append(buf[:0], Version)
	for _, s := range [...]string{e.Service, e.Route, e.Type} {
		b = append(b, cut(s, maxField)...)
		b = append(b, 0)
	}
	b = appendShape(b, cut(e.Message, maxMessage), maxShape)
	b = append(b, 0)
	if e.Stack != "" {
		b = appendStack(b, e.Stack)
	}
	if h := xxhash.Sum64(b); h != 0 {
		return h
	}
	return 1
}

func appendStack(b []byte, stack string) []byte {
	var inner, outer [groupFrames]Frame
	t := trace{frames: inner[:0], wrapping: outer[:0]}
	t.parse(stack)
	if t.language == Unknown {
		return appendShape(b, cut(stack, maxText), maxTextShape)
	}
	for i := range t.frames {
		b = appendFrame(b, t.language, &t.frames[i])
		b = append(b, 0)
	}
	return b
}

func cut(s string, limit int) string {
	if len(s) > limit {
		return s[:limit]
	}
	return s
}
