package fingerprint

import "strings"

// java reads the stacks of the JVM's languages. Causes come last; what was
// suppressed while an error was handled, with causes of its own, does not count.
func (t *trace) java(s string) {
	var line string
	suppressed := -1 // indentation of what was suppressed, -1 outside of it
	for s != "" {
		line, s = nextLine(s)
		text := trimIndent(line)
		indent := len(line) - len(text)
		switch {
		case strings.HasPrefix(text, "Suppressed: "):
			if suppressed < 0 {
				suppressed = indent
			}
		case strings.HasPrefix(text, "Caused by: "):
			if suppressed < 0 || indent < suppressed {
				suppressed = -1
				t.cause()
			}
		case suppressed < 0:
			if f, ok := javaFrame(text); ok {
				t.add(f)
			}
		}
	}
}

// javaFrame reads "at app//com.acme.Shop.pay(Shop.java:12) ~[shop.jar:1.0]".
func javaFrame(text string) (Frame, bool) {
	text, ok := strings.CutPrefix(text, "at ")
	if !ok {
		return Frame{}, false
	}
	open := strings.IndexByte(text, '(')
	if open <= 0 || text[open-1] == ' ' {
		return Frame{}, false
	}
	function, place := text[:open], text[open+1:]
	end := strings.IndexByte(place, ')')
	if end < 0 || strings.IndexByte(function, '.') < 0 {
		return Frame{}, false
	}
	place = place[:end]
	file, numbered := trimNumber(place, ':')
	if !numbered && !javaPlace(place) || strings.IndexByte(file, ' ') >= 0 && file != "Native Method" && file != "Unknown Source" {
		return Frame{}, false
	}
	// A class loader and a module may stand in front; a hidden class has a slash too.
	if i := strings.LastIndexByte(function, '/'); i >= 0 && !strings.Contains(function[:i], "$$") {
		function = function[i+1:]
	}
	return Frame{Function: function, File: file, InApp: javaInApp(function)}, true
}

// javaPlace says whether a place without a line is one of Java's.
func javaPlace(s string) bool {
	switch s {
	case "Native Method", "Unknown Source", "<generated>", "SourceFile":
		return true
	}
	return strings.HasSuffix(s, ".java") || strings.HasSuffix(s, ".kt") || strings.HasSuffix(s, ".scala") || strings.HasSuffix(s, ".groovy")
}

var javaLibraries = []string{
	"java.", "javax.", "jakarta.", "jdk.", "sun.", "com.sun.", "kotlin.", "kotlinx.", "scala.", "groovy.", "clojure.",
	"org.springframework.", "org.apache.", "org.hibernate.", "org.eclipse.", "org.jboss.", "org.junit.", "org.codehaus.",
	"org.postgresql.", "org.slf4j.", "org.aspectj.", "org.mockito.", "io.netty.", "io.undertow.", "io.grpc.", "io.micrometer.",
	"io.opentelemetry.", "io.vertx.", "io.quarkus.", "io.micronaut.", "io.reactivex.", "reactor.", "akka.", "play.",
	"com.fasterxml.", "com.google.common.", "com.google.inject.", "com.zaxxer.", "com.mysql.", "com.intellij.", "okhttp3.",
	"retrofit2.", "ch.qos.", "feign.", "software.amazon.", "net.bytebuddy.", "android.", "androidx.", "com.android.", "dalvik.",
}

// javaGenerated are parts of the names of classes made at run time: proxies,
// accessors and the objects of lambdas.
var javaGenerated = []string{"$$", "$Proxy", "$ByteBuddy$", "$MockitoMock$", "GeneratedMethodAccessor", "GeneratedConstructorAccessor"}

func javaInApp(function string) bool {
	return !hasAnyPrefix(function, javaLibraries) && !containsAny(function, javaGenerated)
}

// appendJavaFunction appends class and method without what the compiler numbers
// (lambda$pay$3, the anonymous class Shop$1) and what proxies add to a class.
func appendJavaFunction(b []byte, function string) []byte {
	if i := strings.Index(function, "$$"); i >= 0 {
		method := function[i:]
		b = appendJavaFunction(b, function[:i])
		if dot := strings.LastIndexByte(method, '.'); dot >= 0 {
			b = appendJavaFunction(b, method[dot:])
		}
		return b
	}
	for i := 0; i < len(function); i++ {
		b = append(b, function[i])
		if function[i] == '$' {
			for i+1 < len(function) && isDigit(function[i+1]) {
				i++
			}
		}
	}
	return b
}
