package fingerprint

import "strings"

// dotnet reads the stacks of .NET. An inner exception stands before the frames of
// the one around it.
func (t *trace) dotnet(s string) {
	var line string
	for s != "" && !t.full() {
		line, s = nextLine(s)
		text := trimIndent(line)
		if strings.HasPrefix(text, "--- End of inner exception stack trace") {
			if t.caused() {
				return
			}
		} else if f, ok := dotnetFrame(text); ok {
			t.add(f)
		}
	}
}

// dotnetFrame reads "at Shop.Orders.Pay(String id) in /src/Orders.cs:line 12".
func dotnetFrame(text string) (Frame, bool) {
	text, ok := strings.CutPrefix(text, "at ")
	if !ok {
		return Frame{}, false
	}
	open := strings.IndexByte(text, '(')
	if open <= 0 || strings.IndexByte(text[open:], ')') < 0 || strings.IndexByte(text[:open], ' ') >= 0 {
		return Frame{}, false
	}
	f := Frame{Function: text[:open]}
	if _, place, ok := strings.Cut(text[open:], ") in "); ok {
		f.File, _, _ = strings.Cut(place, ":line ")
	}
	f.InApp = !hasAnyPrefix(f.Function, dotnetLibraries)
	return f, true
}

var dotnetLibraries = []string{
	"System.", "Microsoft.", "Npgsql.", "MySql.", "MySqlConnector.", "MongoDB.", "Newtonsoft.", "Grpc.", "Google.Protobuf.",
	"MassTransit.", "MediatR.", "AutoMapper.", "Dapper.", "Polly.", "Serilog.", "NLog.", "StackExchange.", "Castle.",
	"OpenTelemetry.", "RabbitMQ.", "Confluent.", "Hangfire.", "Amazon.", "Azure.", "Xunit.", "NUnit.", "Moq.", "lambda_method", "DynamicClass.",
}

// appendDotNetFunction appends type and method with the names that the compiler
// generates for asynchronous methods, iterators, lambdas and local functions
// replaced by that of the method they were written in, and without the number of
// type parameters: Orders.<Pay>d__5.MoveNext is Orders.Pay.
func appendDotNetFunction(b []byte, function string) []byte {
	for first := true; function != ""; {
		var element string
		element, function = dotnetElement(function)
		if name, ok := strings.CutPrefix(element, "<"); ok {
			name, generated, _ := strings.Cut(name, ">")
			if function == "MoveNext" && strings.HasPrefix(generated, "d__") {
				function = ""
			}
			element = name // empty for the classes of closures: <>c__DisplayClass3_0
		}
		if i := strings.IndexAny(element, "`["); i >= 0 {
			element = element[:i]
		}
		if element == "" {
			continue
		}
		if !first {
			b = append(b, '.')
		}
		b = append(b, strings.TrimRight(element, "0123456789")...)
		first = false
	}
	return b
}

// dotnetElement cuts off the first element; a dot in angle brackets or in
// brackets is part of it.
func dotnetElement(s string) (element, rest string) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '<', '[':
			depth++
		case '>', ']':
			depth--
		case '.':
			if depth <= 0 && i > 0 {
				return s[:i], s[i+1:]
			}
		}
	}
	return s, ""
}
