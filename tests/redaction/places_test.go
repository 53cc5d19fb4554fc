package redaction_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// asJSON gives v as JSON.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func quoted(s string) string { return asJSON(s) }

// wordOf gives a key as programs name it.
func wordOf(key string) string { return strings.NewReplacer(".", "_", "-", "_").Replace(key) }

// namedPlaces put a secret under its key into a span. Each returns what it sent, if
// that is another text than it was given.
var namedPlaces = map[string]func(s ptrace.Span, key, value string){
	"attribute":  func(s ptrace.Span, k, v string) { s.Attributes().PutStr("app."+k, v) },
	"nested map": func(s ptrace.Span, k, v string) { s.Attributes().PutEmptyMap("a").PutEmptyMap("b").PutStr(k, v) },
	"map in slice": func(s ptrace.Span, k, v string) {
		s.Attributes().PutEmptySlice("list").AppendEmpty().SetEmptyMap().PutStr(k, v)
	},
	"header": func(s ptrace.Span, k, v string) {
		s.Attributes().PutEmptySlice("http.request.header." + strings.ToLower(k)).AppendEmpty().SetStr(v)
	},
	"cookie": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("http.request.header.cookie", "theme=dark; "+wordOf(k)+"="+url.QueryEscape(v))
	},
	"set-cookie": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("http.response.header.set-cookie", wordOf(k)+"="+url.QueryEscape(v)+"; Path=/; HttpOnly")
	},
	"json body": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("trackway.request.body", asJSON(map[string]any{"user": "ann", "login": map[string]any{k: v}, "n": 1}))
	},
	"json body, cut": func(s ptrace.Span, k, v string) {
		text := `{"user":"ann","` + k + `":` + quoted(v)
		s.Attributes().PutStr("trackway.response.body", text)
	},
	"json in json": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("trackway.response.body", asJSON(map[string]any{"payload": asJSON(map[string]any{"inner": asJSON(map[string]any{k: v})})}))
	},
	"json in an attribute": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("app.payload", asJSON([]any{map[string]any{k: v}}))
	},
	"form body": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("trackway.request.body", url.Values{"user": {"ann"}, k: {v}, "zip": {"1"}}.Encode())
	},
	"query": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("url.query", "page=2&"+url.QueryEscape(k)+"="+url.QueryEscape(v)+"&sort=asc")
	},
	"url": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("url.full", "https://shop.example/p?page=2&"+url.QueryEscape(k)+"="+url.QueryEscape(v))
	},
	"url fragment": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("app.redirect", "https://shop.example/cb#state=1&"+url.QueryEscape(k)+"="+url.QueryEscape(v))
	},
	"json in a query": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("url.query", "filter="+url.QueryEscape(asJSON(map[string]any{k: v})))
	},
	"base64 of json": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("app.state", base64.StdEncoding.EncodeToString([]byte(asJSON(map[string]any{k: v}))))
	},
	"bytes": func(s ptrace.Span, k, v string) {
		s.Attributes().PutEmptyBytes("raw").FromRaw([]byte(asJSON(map[string]any{k: v})))
	},
	"sql comparison": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("db.query.text", "SELECT id FROM users WHERE name = 'ann' AND "+wordOf(k)+" = '"+strings.ReplaceAll(v, "'", "''")+"' LIMIT 1")
	},
	"sql insert": func(s ptrace.Span, k, v string) {
		s.Attributes().PutStr("db.statement", "INSERT INTO users (name, "+wordOf(k)+", age) VALUES ('ann', '"+strings.ReplaceAll(v, "'", "''")+"', 7)")
	},
	"link attribute": func(s ptrace.Span, k, v string) {
		l := s.Links().AppendEmpty()
		l.SetTraceID([16]byte{1})
		l.SetSpanID([8]byte{1})
		l.Attributes().PutStr(k, v)
	},
	"event attribute": func(s ptrace.Span, k, v string) {
		e := s.Events().AppendEmpty()
		e.SetName("attempt")
		e.SetTimestamp(s.StartTimestamp())
		e.Attributes().PutStr(k, v)
	},
	"baggage member": func(s ptrace.Span, k, v string) { s.Attributes().PutStr("baggage."+k, v) },
}

// prosePlaces are texts that people and programs write; a secret stands in them as
// it is, next to its key.
var proseForms = []func(key, value string) string{
	func(k, v string) string { return fmt.Sprintf("login failed: user=ann %s=%s retry=2", k, v) },
	func(k, v string) string { return fmt.Sprintf("could not sign in (%s: %s)", k, v) },
	func(k, v string) string { return fmt.Sprintf("settings {'user': 'ann', '%s': '%s'}", k, v) },
	func(k, v string) string { return fmt.Sprintf("config %q => %q", k, v) },
	func(k, v string) string {
		return fmt.Sprintf("POST /login HTTP/1.1\r\nHost: shop.example\r\n%s: %s\r\n\r\n", k, v)
	},
	func(k, v string) string { return fmt.Sprintf("GET /login?user=ann&%s=%s", k, v) },
	func(k, v string) string { return fmt.Sprintf(`msg="sign in" %s="%s" level=warn`, k, v) },
	func(k, v string) string { return fmt.Sprintf("exec: backup --%s %s --verbose", k, v) },
	func(k, v string) string {
		return "java.lang.IllegalStateException: " + k + "=" + v + "\n\tat com.shop.Login.check(Login.java:42)\n\tat com.shop.Main.main(Main.java:7)"
	},
	func(k, v string) string {
		return "Traceback (most recent call last):\n  File \"app.py\", line 7\nValueError: {'" + k + "': '" + v + "'}"
	},
}

// textPlaces are where any text may stand in a span.
var textPlaces = map[string]func(s ptrace.Span, text string){
	"attribute": func(s ptrace.Span, text string) { s.Attributes().PutStr("app.note", text) },
	"nested": func(s ptrace.Span, text string) {
		s.Attributes().PutEmptySlice("notes").AppendEmpty().SetEmptySlice().AppendEmpty().SetStr(text)
	},
	"span name": func(s ptrace.Span, text string) { s.SetName(text) },
	"status message": func(s ptrace.Span, text string) {
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage(text)
	},
	"event name": func(s ptrace.Span, text string) {
		e := s.Events().AppendEmpty()
		e.SetName(text)
		e.SetTimestamp(s.StartTimestamp())
	},
	"exception message": func(s ptrace.Span, text string) { exception(s, "exception.message", text) },
	"exception stack":   func(s ptrace.Span, text string) { exception(s, "exception.stacktrace", text) },
	"request body":      func(s ptrace.Span, text string) { s.Attributes().PutStr("trackway.request.body", text) },
	"json string": func(s ptrace.Span, text string) {
		s.Attributes().PutStr("app.payload", asJSON(map[string]any{"note": text}))
	},
	"base64": func(s ptrace.Span, text string) {
		s.Attributes().PutStr("app.state", base64.StdEncoding.EncodeToString([]byte("note: "+text)))
	},
	"percent-encoded": func(s ptrace.Span, text string) { s.Attributes().PutStr("app.next", url.QueryEscape("see "+text)) },
	"query parameter": func(s ptrace.Span, text string) {
		s.Attributes().PutStr("url.query", "page=2&q="+url.QueryEscape(text))
	},
	"sql literal": func(s ptrace.Span, text string) {
		s.Attributes().PutStr("db.query.text", "UPDATE notes SET body = '"+strings.ReplaceAll(text, "'", "''")+"' WHERE id = 7")
	},
	"header": func(s ptrace.Span, text string) {
		s.Attributes().PutEmptySlice("http.request.header.x-note").AppendEmpty().SetStr(strings.ReplaceAll(text, "\n", " "))
	},
}

func exception(s ptrace.Span, attribute, text string) {
	e := s.Events().AppendEmpty()
	e.SetName("exception")
	e.SetTimestamp(s.StartTimestamp())
	e.Attributes().PutStr("exception.type", "LoginError")
	e.Attributes().PutStr(attribute, text)
}

// bodies are forms of a log record's body with a secret under its key.
var logBodies = map[string]func(v pcommon.Value, key, value string){
	"log body map": func(v pcommon.Value, k, s string) { v.SetEmptyMap().PutStr(k, s) },
	"log body nested": func(v pcommon.Value, k, s string) {
		v.SetEmptyMap().PutEmptySlice("list").AppendEmpty().SetEmptyMap().PutStr(k, s)
	},
	"log body slice":        func(v pcommon.Value, k, s string) { v.SetEmptySlice().AppendEmpty().SetEmptyMap().PutStr(k, s) },
	"log body json":         func(v pcommon.Value, k, s string) { v.SetStr(asJSON(map[string]any{"msg": "sign in", k: s})) },
	"log body escaped json": func(v pcommon.Value, k, s string) { v.SetStr("sent " + quoted(asJSON(map[string]any{k: s}))) },
	"log body prose":        func(v pcommon.Value, k, s string) { v.SetStr("sign in with " + k + "=" + quoted(s) + " failed") },
}
