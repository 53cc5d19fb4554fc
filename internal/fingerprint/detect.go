package fingerprint

import "strings"

// detect tells a stack's language by the first of its lines that only one has.
func detect(stack string) Language {
	for n := 0; stack != "" && n < maxDetectLines; n++ {
		var line string
		line, stack = nextLine(cut(stack, maxStack))
		if l := detectLine(line); l != Unknown {
			return l
		}
	}
	return Unknown
}

func detectLine(line string) Language {
	if line == "" {
		return Unknown
	}
	if _, ok := goFile(line); ok || strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, "]:") {
		return Go
	}
	text := trimIndent(line)
	switch {
	case strings.HasPrefix(text, "at "):
		return detectAt(text)
	case strings.HasSuffix(text, "Traceback (most recent call last):"):
		return Python
	}
	if _, ok := phpFrame(text); ok {
		return PHP
	}
	if _, ok := pythonFrame(text); ok {
		return Python
	}
	if _, _, ok := rubyFrame(text); ok {
		return Ruby
	}
	return Unknown
}

// detectAt tells the languages apart whose frames begin with at.
func detectAt(text string) Language {
	if _, ok := javaFrame(text); ok {
		return Java
	}
	if _, ok := nodeFrame(text); ok {
		return Node
	}
	if _, ok := dotnetFrame(text); ok {
		return DotNet
	}
	return Unknown
}
