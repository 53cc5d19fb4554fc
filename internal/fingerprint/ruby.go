package fingerprint

import "strings"

// ruby reads backtraces and full messages. A cause follows the error it caused,
// on a line with its message.
func (t *trace) ruby(s string) {
	var line string
	started := false
	for s != "" {
		line, s = nextLine(s)
		f, message, ok := rubyFrame(trimIndent(line))
		if !ok {
			continue
		}
		if message && started {
			t.cause()
		}
		started = true
		t.add(f)
	}
}

// rubyFrame reads "from app/shop.rb:12:in 'Shop#pay'", before Ruby 3.4 with a
// backquote and the method's bare name; message says that the error's message
// follows on the line.
func rubyFrame(text string) (f Frame, message, ok bool) {
	text = strings.TrimPrefix(text, "from ")
	i := strings.Index(text, ":in `")
	if i < 0 {
		if i = strings.Index(text, ":in '"); i < 0 {
			return Frame{}, false, false
		}
	}
	file, numbered := trimNumber(text[:i], ':')
	function := text[i+len(":in '"):]
	end := strings.IndexByte(function, '\'')
	if !numbered || end < 0 {
		return Frame{}, false, false
	}
	message = strings.HasPrefix(function[end+1:], ": ")
	return Frame{
		Function: rubyMethod(function[:end]), File: file,
		InApp: !containsAny(file, rubyLibraries) && !strings.HasPrefix(file, "<internal:") && !strings.HasPrefix(file, "(eval"),
	}, message, true
}

var rubyLibraries = []string{"/gems/", "/lib/ruby/", "/rubies/", "/bundler/", "bin/rails", "bin/bundle", "bin/puma", "bin/rake"}

// rubyMethod gives the method's bare name, as Rubies before 3.4 write it: without
// its class and without the blocks in it.
func rubyMethod(s string) string {
	if i := strings.LastIndex(s, " in "); i >= 0 {
		s = s[i+len(" in "):]
	}
	if i := strings.LastIndexAny(s, "#."); i >= 0 && i+1 < len(s) {
		s = s[i+1:]
	}
	return s
}
