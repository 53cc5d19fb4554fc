package requestredactionprocessor

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// secrets make a random secret of each kind.
var secrets = map[string]func(*rand.Rand) string{
	"card": func(r *rand.Rand) string {
		prefix := pick(r, "4", "51", "2221", "34", "6011", "3528", "62")
		length := 16
		if prefix == "34" {
			length = 15
		}
		number := prefix + chars(r, "0123456789", length-len(prefix)-1)
		for check := range 10 {
			whole := []byte(fmt.Sprintf("%s%d", number, check))
			for i := range whole {
				whole[i] -= '0'
			}
			if luhn(whole) {
				number = fmt.Sprintf("%s%d", number, check)
				break
			}
		}
		if sep := pick(r, "", "", "-", " ", "."); length == 16 {
			return strings.Join([]string{number[:4], number[4:8], number[8:12], number[12:]}, sep)
		}
		return number
	},
	"email": func(r *rand.Rand) string {
		return chars(r, lower, 1+r.IntN(10)) + pick(r, "", "."+chars(r, lower, 3), "+"+chars(r, lower, 4)) + "@" + chars(r, lower, 3+r.IntN(8)) + pick(r, ".com", ".co.uk", ".example", ".dev")
	},
	"jwt": func(r *rand.Rand) string {
		part := base64.RawURLEncoding.EncodeToString
		return part([]byte(pick(r, `{"alg":"HS256"}`, `{"typ":"JWT","alg":"RS256"}`, `{"kid":"`+chars(r, alnums, 9)+`","alg":"ES256"}`))) + "." +
			part([]byte(`{"sub":"`+chars(r, alnums, 12)+`"}`)) + "." + chars(r, alnums+"-_", 43)
	},
	"bearer": func(r *rand.Rand) string { return "Bearer " + chars(r, alnums+"-._~", 24+r.IntN(40)) + "x" },
	"aws": func(r *rand.Rand) string {
		return pick(r, "AKIA", "ASIA") + chars(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
	},
	"github": func(r *rand.Rand) string { return pick(r, "ghp_", "gho_", "ghs_") + chars(r, alnums, 36) },
	"google": func(r *rand.Rand) string { return "AIza" + chars(r, alnums+"-_", 34) + "x" },
	"slack": func(r *rand.Rand) string {
		return pick(r, "xoxb-", "xoxp-") + chars(r, "0123456789", 12) + "-" + chars(r, alnums, 24)
	},
	"stripe": func(r *rand.Rand) string { return pick(r, "sk_live_", "rk_live_") + chars(r, alnums, 24) },
	"iban":   func(r *rand.Rand) string { return iban("DE", chars(r, "0123456789", 18)) },
	"ssn": func(r *rand.Rand) string {
		return fmt.Sprintf("%03d-%02d-%04d", 1+r.IntN(600), 1+r.IntN(99), 1+r.IntN(9999))
	},
	"private": func(r *rand.Rand) string {
		return "-----BEGIN PRIVATE KEY-----\n" + chars(r, alnums, 64) + "\n" + chars(r, alnums, 40) + "==\n-----END PRIVATE KEY-----"
	},
	"url": func(r *rand.Rand) string { return "postgres://app:" + chars(r, alnums, 16) + "@db.example/orders" },
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	alnums = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func chars(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func iban(country, account string) string {
	for check := range 97 {
		text := []byte(fmt.Sprintf("%s%s%02d", account, country, check))
		if mod97(text, 0) == 1 {
			return fmt.Sprintf("%s%02d%s", country, check, account)
		}
	}
	return ""
}

// needle is what must not be found: of a bearer the token, of a URL the password.
func needle(kind, secret string) string {
	switch kind {
	case "bearer":
		return strings.TrimPrefix(secret, "Bearer ")
	case "url":
		return secret[len("postgres://app:") : len("postgres://app:")+16]
	case "private":
		return strings.Split(secret, "\n")[1]
	}
	return secret
}

// encodings are how a secret is written inside other text; decodings below undo
// them when the output is searched.
var encodings = map[string]func(string) string{
	"plain":     func(s string) string { return s },
	"sentence":  func(s string) string { return "could not use " + s + ", giving up" },
	"quoted":    func(s string) string { return `got "` + s + `" instead` },
	"line":      func(s string) string { return "first line\n" + s + "\nlast line" },
	"assigned":  func(s string) string { return "value=" + s + ";" },
	"percent":   func(s string) string { return "x/" + url.QueryEscape(s) },
	"json":      func(s string) string { return asJSON(map[string]any{"a": []any{1, map[string]any{"b": s}}, "c": "d"}) },
	"json text": func(s string) string { return "answer: " + asJSON(map[string]any{"a": s}) },
	"json in json": func(s string) string {
		return asJSON(map[string]any{"a": asJSON(map[string]any{"b": s})})
	},
	"json in base64": func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(asJSON(map[string]any{"key": s})))
	},
	"base64":     func(s string) string { return "blob " + base64.StdEncoding.EncodeToString([]byte("found "+s)) },
	"query":      func(s string) string { return "https://h.example/p?q=" + url.QueryEscape(s) + "&page=2" },
	"path query": func(s string) string { return "/p?q=" + url.QueryEscape(s) + "&page=2#x" },
	"sql":        func(s string) string { return "INSERT INTO t (a, b) VALUES (1, '" + s + "')" },
	"stack": func(s string) string {
		return "java.lang.IllegalStateException: bad value " + s + "\n\tat com.shop.A.b(A.java:12)\n"
	},
}

func asJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// places put a text somewhere on a span or a log record, and everything that is
// on one is searched.
var places = map[string]func(ptrace.Span, plog.LogRecord, string){
	"attribute": func(s ptrace.Span, _ plog.LogRecord, v string) { s.Attributes().PutStr("app.note", v) },
	"statement": func(s ptrace.Span, _ plog.LogRecord, v string) { s.Attributes().PutStr("db.query.text", v) },
	"body":      func(s ptrace.Span, _ plog.LogRecord, v string) { s.Attributes().PutStr("trackway.request.body", v) },
	"form": func(s ptrace.Span, _ plog.LogRecord, v string) {
		s.Attributes().PutStr("trackway.request.body", "a=b&c="+url.QueryEscape(v))
	},
	"url": func(s ptrace.Span, _ plog.LogRecord, v string) {
		s.Attributes().PutStr("url.full", "https://h.example/?c="+url.QueryEscape(v))
	},
	"bytes": func(s ptrace.Span, _ plog.LogRecord, v string) {
		s.Attributes().PutEmptyBytes("raw").FromRaw([]byte(v))
	},
	"map": func(s ptrace.Span, _ plog.LogRecord, v string) {
		s.Attributes().PutEmptyMap("m").PutEmptyMap("n").PutStr("o", v)
	},
	"slice": func(s ptrace.Span, _ plog.LogRecord, v string) {
		s.Attributes().PutEmptySlice("l").AppendEmpty().SetEmptySlice().AppendEmpty().SetStr(v)
	},
	"name":   func(s ptrace.Span, _ plog.LogRecord, v string) { s.SetName(v) },
	"status": func(s ptrace.Span, _ plog.LogRecord, v string) { s.Status().SetMessage(v) },
	"exception": func(s ptrace.Span, _ plog.LogRecord, v string) {
		s.Events().AppendEmpty().Attributes().PutStr("exception.message", v)
	},
	"event name": func(s ptrace.Span, _ plog.LogRecord, v string) { s.Events().AppendEmpty().SetName(v) },
	"link":       func(s ptrace.Span, _ plog.LogRecord, v string) { s.Links().AppendEmpty().Attributes().PutStr("why", v) },
	"log body":   func(_ ptrace.Span, l plog.LogRecord, v string) { l.Body().SetStr(v) },
	"log map":    func(_ ptrace.Span, l plog.LogRecord, v string) { l.Body().SetEmptyMap().PutStr("msg", v) },
	"log name":   func(_ ptrace.Span, l plog.LogRecord, v string) { l.SetEventName(v) },
}

// texts of a record, decoded in every way a reader could.
func everything(s ptrace.Span, l plog.LogRecord) []string {
	var all []string
	add := func(text string) { all = append(all, decodings(text, 4)...) }
	var walk func(v pcommon.Value)
	walk = func(v pcommon.Value) {
		switch v.Type() {
		case pcommon.ValueTypeMap:
			for _, e := range v.Map().All() {
				walk(e)
			}
		case pcommon.ValueTypeSlice:
			for _, e := range v.Slice().All() {
				walk(e)
			}
		case pcommon.ValueTypeBytes:
			add(string(v.Bytes().AsRaw()))
		default:
			add(v.AsString())
		}
	}
	attributes := func(m pcommon.Map) {
		for _, v := range m.All() {
			walk(v)
		}
	}
	add(s.Name())
	add(s.Status().Message())
	attributes(s.Attributes())
	for _, e := range s.Events().All() {
		add(e.Name())
		attributes(e.Attributes())
	}
	for _, link := range s.Links().All() {
		attributes(link.Attributes())
	}
	walk(l.Body())
	add(l.EventName())
	attributes(l.Attributes())
	return all
}

func decodings(s string, depth int) []string {
	all := []string{s}
	if depth == 0 {
		return all
	}
	for _, plain := range []string{unescapePercent(s), unescape(s), unescapeJSON(s)} {
		if plain != s {
			all = append(all, decodings(plain, depth-1)...)
		}
	}
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" /:;,&?=\"'{}\n", r) }) {
		if b, err := base64.RawStdEncoding.DecodeString(word); err == nil && len(b) > 8 {
			all = append(all, decodings(string(b), depth-1)...)
		}
	}
	return all
}

// A secret of any kind, in any place, in any encoding, is nowhere afterwards; with
// redaction off the same search finds each of them.
func TestSecretsAreNowhere(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := newTestRedaction(t, createDefaultConfig().(*Config)).begin()
	for kind, secret := range secrets {
		for encoding, encode := range encodings {
			if encoding == "sql" && kind == "private" {
				continue
			}
			for place, put := range places {
				value := secret(r)
				s, l := ptrace.NewSpan(), plog.NewLogRecord()
				put(s, l, encode(value))
				finds := func() bool {
					for _, text := range everything(s, l) {
						if strings.Contains(text, needle(kind, value)) {
							return true
						}
					}
					return false
				}
				require.True(t, finds(), "search of %s as %s in %s", kind, encoding, place)
				p.span(s)
				p.attributes(l.Attributes())
				p.value(decision{}, l.Body(), 0)
				p.name(l.EventName(), l.SetEventName)
				assert.False(t, finds(), "%s as %s in %s: %q", kind, encoding, place, encode(value))
			}
		}
	}
}
