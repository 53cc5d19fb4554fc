package fingerprint

import "strings"

// python reads tracebacks from their end, where the innermost frame is. Of a
// chain, a cause (raise … from) is above the error it caused and counts in its
// stead; an error that was being handled when another happened does not.
func (t *trace) python(s string) {
	var line string
	for s != "" {
		line, s = lastLine(s)
		text := pythonText(line)
		if f, ok := pythonFrame(text); ok {
			t.add(f)
			continue
		}
		if strings.HasPrefix(text, "The above exception was the direct cause") {
			t.cause()
		}
		if strings.HasPrefix(text, "During handling of the above exception") && t.inApp() {
			return
		}
	}
}

// pythonText cuts off the indentation and the rails of exception groups.
func pythonText(line string) string { return strings.TrimLeft(line, " \t|") }

// pythonFrame reads `File "/app/shop.py", line 12, in pay`.
func pythonFrame(text string) (Frame, bool) {
	text, ok := strings.CutPrefix(pythonText(text), `File "`)
	if !ok {
		return Frame{}, false
	}
	file, rest, ok := strings.Cut(text, `", line `)
	if !ok {
		return Frame{}, false
	}
	function := ""
	if _, in, ok := strings.Cut(rest, ", in "); ok {
		function = in
	} else if strings.TrimLeft(rest, "0123456789") != "" {
		return Frame{}, false
	}
	return Frame{Function: function, File: file, InApp: !containsAny(file, pythonLibraries) && !strings.HasPrefix(file, "<")}, true
}

var pythonLibraries = []string{
	"site-packages", "dist-packages", "/lib/python", `\lib\`, `\Lib\`, ".egg/", "/usr/lib64/python", "/importlib/",
}
