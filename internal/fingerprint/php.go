package fingerprint

import "strings"

// php reads traces: each line has the place of a call and what was called there.
// The root of a chain comes first.
func (t *trace) php(s string) {
	var line string
	for s != "" && !t.full() {
		line, s = nextLine(s)
		text := trimIndent(line)
		if strings.HasPrefix(text, "Next ") {
			if t.caused() {
				return
			}
		} else if f, ok := phpFrame(text); ok && f.Function != "" {
			t.add(f)
		}
	}
}

// phpFrame reads `#0 /app/Shop.php(12): Shop->pay('o_1')`. {main} is a frame
// without a function.
func phpFrame(text string) (Frame, bool) {
	if len(text) < 2 || text[0] != '#' || !isDigit(text[1]) {
		return Frame{}, false
	}
	number, text, ok := strings.Cut(text[1:], " ")
	if !ok || strings.TrimLeft(number, "0123456789") != "" {
		return Frame{}, false
	}
	if text == "{main}" {
		return Frame{}, true
	}
	var f Frame
	if call, ok := strings.CutPrefix(text, "[internal function]: "); ok {
		f.Function = call
	} else {
		place, call, ok := strings.Cut(text, "): ")
		open := strings.LastIndexByte(place, '(')
		if !ok || open < 0 {
			return Frame{}, false
		}
		f.File, f.Function = place[:open], call
		if file, _, eval := strings.Cut(f.File, "("); eval { // /app/a.php(3) : eval()'d code
			f.File = file
		}
		f.InApp = !containsAny(f.File, phpLibraries)
	}
	// The arguments; a closure's name holds parentheses since PHP 8.4.
	from := strings.LastIndexByte(f.Function[:phpCall(f.Function)], '}') + 1
	if open := strings.IndexByte(f.Function[from:], '('); open >= 0 {
		f.Function = f.Function[:from+open]
	}
	return f, true
}

// phpCall gives the length of the call's beginning in which a closure's name can
// stand: that up to the first argument in quotes.
func phpCall(s string) int {
	if i := strings.IndexByte(s, '\''); i >= 0 {
		return i
	}
	return len(s)
}

var phpLibraries = []string{"/vendor/", `\vendor\`, "phar://"}

// appendPHPFunction appends a function without where a closure stands and how an
// anonymous class is numbered.
func appendPHPFunction(b []byte, function string) []byte {
	if i := strings.Index(function, "{closure"); i >= 0 {
		b = append(b, function[:i]...)
		return append(b, "{closure}"...)
	}
	class, numbered, ok := strings.Cut(function, "@anonymous")
	if !ok {
		return append(b, function...)
	}
	b = append(b, class...)
	b = append(b, "@anonymous"...)
	if i := strings.LastIndex(numbered, "->"); i >= 0 {
		b = append(b, numbered[i:]...)
	}
	return b
}
