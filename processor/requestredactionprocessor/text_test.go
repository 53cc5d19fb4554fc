package requestredactionprocessor

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Texts by shape: what goes in, and what comes out under the default rules.
var shapes = map[shape]map[string]string{
	shapeProse: {
		"user ann@example.com not found":                               "user [redacted] not found",
		`"GET /login?token=t HTTP/1.1" 200 "https://h/p?id_token=u#x"`: `"GET /login?token=[redacted] HTTP/1.1" 200 "https://h/p?id_token=[redacted]#x"`,
		"mongodb+srv://u:p%40ss@cluster0.mongodb.example/x":            "mongodb+srv://[redacted]@cluster0.mongodb.example/x",
		"why? token=x":                                     "why? token=[redacted]",
		`failed {"a":1} at https://h/?token=t`:             `failed {"a":1} at https://h/?token=[redacted]`,
		"token visible":                                    "token visible",
		`failed: {"password":"x","n":1} of 3`:              `failed: {"password":"[redacted]","n":1} of 3`,
		`GET https://h/p?a=b&token=t failed: 500`:          `GET https://h/p?a=b&token=[redacted] failed: 500`,
		`"https://h/p?token=t" and https://h/q#id_token=u`: `"https://h/p?token=[redacted]" and https://h/q#id_token=[redacted]`,
		`{"url":"https://h/p?token=t","n":1}`:              `{"url":"https://h/p?token=[redacted]","n":1}`,
		`{"path":"/p?token=t"}`:                            `{"path":"/p?token=[redacted]"}`,
		`{"card":4111111111111111,"n":4111111111111112}`:   `{"card":"[redacted]","n":4111111111111112}`,
		`{"a":[4111111111111111, 7]}`:                      `{"a":["[redacted]", 7]}`,
		`{"raw":"{\"password\":\"x\",\"n\":1}"}`:           `{"raw":"{\"password\":\"[redacted]\",\"n\":1}"}`,
		`{"a":"{\"b\":\"{\\\"token\\\":\\\"x\\\"}\"}"}`:    `{"a":"{\"b\":\"{\\\"token\\\":\\\"[redacted]\\\"}\"}"}`,
		`{"mail":"ann\u0040example.com"}`:                  `{"mail":"[redacted]"}`,
		`sent to ann\u0040example.com`:                     `sent to [redacted]`,
		`{"mail":"ann@example.com"}`:                       `{"mail":"[redacted]"}`,
		`{"u":"https:\/\/h\/p?token=t"}`:                   `{"u":"https://h/p?token=[redacted]"}`,
		"/p?token=t&x=1":                                   "/p?token=[redacted]&x=1",
		"to=ann%40example.com&x=1":                         "to=[redacted]&x=1",
		"https://h/users/ann%40example.com/x":              "https://h/users/[redacted]/x",
		"%7B%22password%22%3A%22x%22%7D":                   "[redacted]",
		"100%25 of 50% %zz":                                "100%25 of 50% %zz",
		"Authorization: Basic YW5uOnMzY3JldA==":            "Authorization: Basic [redacted]",
		"data " + base64.StdEncoding.EncodeToString([]byte(`{"password":"hunter22"}`)) + ".": "data [redacted].",
		"data " + base64.RawURLEncoding.EncodeToString([]byte("mail ann@example.com!")):      "data [redacted]",
		"/x/" + base64.RawURLEncoding.EncodeToString([]byte(`{"secret":"hunter22"}`)):        "/x/[redacted]",
		base64.StdEncoding.EncodeToString([]byte(`{"page":"something else"}`)):               base64.StdEncoding.EncodeToString([]byte(`{"page":"something else"}`)),
		"card 4111 1111 1111 1111, mail a@example.com":                                       "card [redacted], mail [redacted]",
		"dial postgres://app:pw@db/x: refused":                                               "dial postgres://[redacted]@db/x: refused",
	},
	shapeForm: {
		multipartOf("user", "ann", "password", "hunter2\r\nx"):     multipartOf("user", "ann", "password", "[redacted]"),
		multipartOf("note", `{"token":"x"}`, "cvv", "123")[:95]:    multipartOf("note", `{"token":"[redacted]"}`, "cvv", "123")[:104],
		"card=4111+1111+1111+1111&x=1":                             "card=[redacted]&x=1",
		"payload=%7B%22password%22%3A%22x%22%2C%22n%22%3A1%7D&a=b": "payload=%7B%22password%22%3A%22[redacted]%22%2C%22n%22%3A1%7D&a=b",
		"mail=ann%40example.com":                                   "mail=[redacted]",
		"next=https%3A%2F%2Fh%2F%3Ftoken%3Dt":                      "next=https%3A%2F%2Fh%2F%3Ftoken%3D[redacted]",
		"next=https://h/?token=t":                                  "next=https://h/?token=[redacted]",
		"page=2&sort=created_at":                                   "page=2&sort=created_at",
		"Password=%20":                                             "Password=[redacted]",
	},
	shapeCookie: {
		"theme=dark; session_token=abc; lang=en": "theme=dark; session_token=[redacted]; lang=en",
		`csrf_token="abc"; Path=/; HttpOnly`:     `csrf_token="[redacted]"; Path=/; HttpOnly`,
		"who=ann%40example.com; a=b":             "who=[redacted]; a=b",
		"theme=dark":                             "theme=dark",
	},
	shapeSQL: {
		"SELECT * FROM u WHERE email = 'ann@example.com' AND n = 7":                        "SELECT * FROM u WHERE email = '[redacted]' AND n = 7",
		"SELECT password FROM u WHERE password='x' OR t.token <> \"y\"":                    "SELECT password FROM u WHERE password='[redacted]' OR t.token <> \"[redacted]\"",
		"UPDATE u SET `secret` = 'a''b', n = 'c' WHERE id = 1":                             "UPDATE u SET `secret` = '[redacted]', n = 'c' WHERE id = 1",
		"INSERT INTO u (name, password, n) VALUES ('ann', 'x', 1), ('bob', lower('y'), 2)": "INSERT INTO u (name, password, n) VALUES ('ann', '[redacted]', 1), ('bob', lower('[redacted]'), 2)",
		"insert into s.u(id,cvv) values(1,123);select 'x'":                                 "insert into s.u(id,cvv) values(1,'[redacted]');select 'x'",
		"SELECT 1 WHERE token IN ('a', 'b') AND x IN ('c')":                                "SELECT 1 WHERE token IN ('[redacted]', '[redacted]') AND x IN ('c')",
		"CREATE USER ann IDENTIFIED BY 'pw'":                                               "CREATE USER ann IDENTIFIED BY '[redacted]'",
		"ALTER ROLE app WITH PASSWORD 'pw'":                                                "ALTER ROLE app WITH PASSWORD '[redacted]'",
		"SELECT 4111111111111111, '4111 1111 1111 1111'":                                   "SELECT '[redacted]', '[redacted]'",
		"SELECT 1 -- for ann@example.com\nFROM t":                                          "SELECT 1 -- for [redacted]\nFROM t",
		"SET user:7 ann@example.com":                                                       "SET user:7 [redacted]",
		`{"find":"users","filter":{"password":"x"}}`:                                       `{"find":"users","filter":{"password":"[redacted]"}}`,
		`SELECT 'C:\' , 'ann@example.com', "a"`:                                            `SELECT 'C:\' , '[redacted]', "a"`,
		`SELECT 'it\'s', 'ann@example.com'`:                                                `SELECT 'it\'s', '[redacted]'`,
		`SELECT '{"password":"x"}'::jsonb`:                                                 `SELECT '{"password":"[redacted]"}'::jsonb`,
		"SELECT $1, $$ann@example.com$$, $q$x$q$":                                          "SELECT $1, $$[redacted]$$, $q$x$q$",
		"SELECT 'ann@example.c":                                                            "SELECT 'ann@example.c",
		"SELECT 'ann@example.com":                                                          "SELECT '[redacted]",
		"SELECT id FROM t WHERE state IN ('open') LIMIT 50":                                "SELECT id FROM t WHERE state IN ('open') LIMIT 50",
		"EXPLAIN SELECT token, name FROM t WHERE name = 'x'":                               "EXPLAIN SELECT token, name FROM t WHERE name = 'x'",
	},
}

// multipartOf writes a multipart form of names and values.
func multipartOf(fields ...string) string {
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		b.WriteString("--b0undary\r\nContent-Disposition: form-data; name=\"" + fields[i] + "\"\r\n\r\n" + fields[i+1] + "\r\n")
	}
	return b.String() + "--b0undary--\r\n"
}

func TestShapes(t *testing.T) {
	p := newTestRedaction(t, createDefaultConfig().(*Config)).begin()
	for shape, texts := range shapes {
		for in, want := range texts {
			got, changed := p.text(in, shape, 0)
			assert.Equal(t, want, got)
			assert.Equal(t, in != want, changed, "%q", in)
			again, changed := p.text(got, shape, 0)
			assert.Equal(t, got, again)
			assert.False(t, changed, "%q", got)
		}
	}
}

// Redacting ends, and doing it again changes nothing, whatever the text is.
func FuzzShapes(f *testing.F) {
	for shape, texts := range shapes {
		for in := range texts {
			f.Add(in, uint8(shape))
		}
	}
	for _, tt := range texts {
		f.Add(tt.in, uint8(shapeProse))
	}
	p := newTestRedaction(f, createDefaultConfig().(*Config)).begin()
	f.Fuzz(func(t *testing.T, s string, kind uint8) {
		sh := shape(kind % 4)
		once, _ := p.text(s, sh, 0)
		twice, _ := p.text(once, sh, 0)
		if once != twice {
			t.Fatalf("redacting %q as %d gave %q and, redacted again, %q", s, sh, once, twice)
		}
	})
}

func TestMaskSQLLiterals(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.MaskSQLLiterals = true
	p := newTestRedaction(t, cfg).begin()
	got, _ := p.text(`SELECT "id", 'a', 12 FROM t WHERE x = 'b' AND y = $1`, shapeSQL, 0)
	assert.Equal(t, `SELECT "id", '[redacted]', '[redacted]' FROM t WHERE x = '[redacted]' AND y = $1`, got)
}

// What is encoded more often than is undone cannot be scanned.
func TestEncodedTooDeep(t *testing.T) {
	for fail, want := range map[Fail]bool{FailClosed: true, FailOpen: false} {
		cfg := createDefaultConfig().(*Config)
		cfg.Fail = fail
		p := newTestRedaction(t, cfg).begin()
		s := "mail=ann@example.com"
		for range maxEncodings + 2 {
			s = "x=" + url.QueryEscape(s)
		}
		_, _, gone := p.scan(s, shapeForm)
		assert.Equal(t, want, gone)
		assert.Equal(t, int64(1), p.counts[p.r.unscannable.index])
	}
}

// Texts made to be slow take time linear in their length.
func TestAdversaries(t *testing.T) {
	p := newTestRedaction(t, createDefaultConfig().(*Config)).begin()
	for _, part := range []string{"a@", "eyJ-", "sk-", "SG.", "1-", "-----BEGIN PRIVATE KEY", "key=", "QUFBQUFB/", "%41", `\u0041`, "://a:", "{\"", "1 ", "DE89", "'", "$a$", "bearer+", "/*", "a@a.", "e-", "--\nform-data;", "?", "/?a", "\\\"{\\\"a\\\":"} {
		s := strings.Repeat(part, (1<<18)/len(part))
		for shape := range shapes {
			p.text(s, shape, 0)
		}
	}
}
