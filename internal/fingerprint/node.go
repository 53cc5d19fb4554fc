package fingerprint

import "strings"

// node reads the stacks of V8: Node.js, Deno, Chrome. A cause follows the error
// it caused.
func (t *trace) node(s string) {
	var line string
	for s != "" {
		line, s = nextLine(s)
		text := trimIndent(line)
		if strings.HasPrefix(text, "[cause]: ") || strings.HasPrefix(text, "Caused by: ") {
			t.cause()
		} else if f, ok := nodeFrame(text); ok {
			t.add(f)
		}
	}
}

// nodeFrame reads "at async Shop.pay [as run] (file:///app/shop.js:12:3)" and
// "at /app/shop.js:12:3".
func nodeFrame(text string) (Frame, bool) {
	text, ok := strings.CutPrefix(text, "at ")
	if !ok {
		return Frame{}, false
	}
	// Inspected errors have a brace behind the last frame.
	text = strings.TrimSuffix(text, " {")
	function, place := "", text
	if i := strings.Index(text, " ("); i >= 0 && strings.HasSuffix(text, ")") {
		function, place = text[:i], text[i+2:len(text)-1]
		// eval code: "eval (eval at run (/app/a.js:1:2), <anonymous>:3:4)".
		if from, ok := strings.CutPrefix(place, "eval at "); ok {
			_, place, _ = strings.Cut(from, "(")
			place, _, _ = strings.Cut(place, ")")
		}
	} else {
		place = strings.TrimPrefix(place, "async ")
	}
	file, column := trimNumber(place, ':')
	file, line := trimNumber(file, ':')
	if !column || !line {
		switch {
		case column && strings.HasPrefix(file, "node:"), column && function != "":
		case place == "<anonymous>", place == "native", strings.HasPrefix(place, "index "):
			file = place
		default:
			return Frame{}, false
		}
	}
	return Frame{Function: nodeFunction(function), File: file, InApp: !hasAnyPrefix(file, nodeInternal) && !containsAny(file, nodeLibraries)}, true
}

var (
	nodeInternal  = []string{"node:", "internal/", "<anonymous>", "native", "index ", "ext:", "chrome-extension:"}
	nodeLibraries = []string{"node_modules/", `node_modules\`, "webpack/bootstrap", "webpack/runtime", "/.pnpm/", "/.yarn/"}
)

// nodeFunction cuts off how a function was called: it differs between versions of
// V8 and with what was awaited.
func nodeFunction(s string) string {
	s = strings.TrimPrefix(s, "async ")
	s, _, _ = strings.Cut(s, " [as ")
	s = strings.TrimPrefix(s, "Object.")
	if s == "<anonymous>" {
		return ""
	}
	return s
}

// nodeFile cuts off what bundlers and loaders put in front of and behind a path.
func nodeFile(s string) string {
	for _, scheme := range [...]string{"webpack-internal:///", "webpack:///", "webpack://", "file://"} {
		s = strings.TrimPrefix(s, scheme)
	}
	return strings.TrimPrefix(s, "./")
}
