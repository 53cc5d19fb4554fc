package requestredactionprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Named keys are found where people and programs write them into text.
func TestPairs(t *testing.T) {
	p := newTestRedaction(t, createDefaultConfig().(*Config)).begin()
	for in, want := range map[string]string{
		"login failed: password=hunter2":                   "login failed: password=[redacted]",
		"token: abc":                                       "token: [redacted]",
		"user=bob, password=hun,ter2, ok":                  "user=bob, password=[redacted], ok",
		"user=bob,password=hunter2,role=admin":             "user=bob,password=[redacted],role=admin",
		"(password=hunter2)":                               "(password=[redacted])",
		"password = hunter2;":                              "password = [redacted];",
		"DB_PASSWORD='hun ter2' run":                       "DB_PASSWORD='[redacted]' run",
		`{'password': 'hunter2', 'user': 'bob'}`:           `{'password': '[redacted]', 'user': 'bob'}`,
		`{:password=>"hunter2", :user=>"bob"}`:             `{:password=>"[redacted]", :user=>"bob"}`,
		`body: \"password\":\"hunter2\",\"a\":1`:           `body: \"password\":\"[redacted]\",\"a\":1`,
		"X-Api-Key: abc\r\nAccept: */*":                    "X-Api-Key: [redacted]\r\nAccept: */*",
		"Cookie: a=b; c=d\nHost: h":                        "Cookie: [redacted]\nHost: h",
		"curl -H 'Authorization: Token abc' https://h":     "curl -H 'Authorization: Token [redacted]' https://h",
		"mysql --password hunter2 --user bob":              "mysql --password [redacted] --user bob",
		"mysql --password=hunter2":                         "mysql --password=[redacted]",
		`sign in with token="abc\"def\\gh\\" failed`:       `sign in with token="[redacted]" failed`,
		`sent "{\"api-key\":\"a\\\"b\\\\\",\"n\":1}"`:      `sent "{\"api-key\":\"[redacted]\",\"n\":1}"`,
		"see+exec%3A+backup+--token+abcdef+--verbose":      "[redacted]",
		"backup --db.password abcdef":                      "backup --db.password [redacted]",
		"session:token:abc123":                             "session:token:[redacted]",
		"User(password=[hunter2], name=bob)":               "User(password=[redacted], name=bob)",
		"accessToken=abc client.secret: x1y2":              "accessToken=[redacted] client.secret: [redacted]",
		"export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MD":  "export AWS_SECRET_ACCESS_KEY=[redacted]",
		"password=${PASSWORD} token=$1 pwd=**** secret=%s": "password=${PASSWORD} token=$1 pwd=**** secret=%s",
		"invalid token: expected a name":                   "invalid token: expected a name",
		"token == other":                                   "token == other",
		"Token::parse":                                     "Token::parse",
		"secret: not found":                                "secret: not found",
		"token=null, token=nil":                            "token=null, token=nil",
		"at Token.java:12 and secret.go:7":                 "at Token.java:12 and secret.go:7",
		"password=":                                        "password=",
		"tokens: 512 tokenizer=bpe":                        "tokens: 512 tokenizer=bpe",
	} {
		p.record = 0
		got, _ := p.text(in, shapeProse, 0)
		assert.Equal(t, want, got)
		again, changed := p.text(got, shapeProse, 0)
		assert.Equal(t, got, again)
		assert.False(t, changed, "done twice: %q", got)
	}
}

// A text that was clean is not looked at again, and only that text under that key.
func TestCleanTextsAreRemembered(t *testing.T) {
	p := newTestRedaction(t, createDefaultConfig().(*Config)).begin()
	for _, value := range []string{"clean", "clean", "password=hunter2", "clean", "password=hunter2", ""} {
		m := pcommon.NewMap()
		m.PutStr("note", value)
		m.PutStr("url.query", "q="+value)
		m.PutEmptyMap("nested").PutStr("note", value)
		p.record = 0
		p.attributes(m)
		want := 0
		if value == "password=hunter2" {
			want = 3
		}
		assert.Equal(t, want, p.record, value)
	}
}
