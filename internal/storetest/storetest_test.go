package storetest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestParseRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"  indented":             "belongs to a command",
		"store\n":                `"store" is no command`,
		"eval\n":                 "takes 1 to 64 arguments",
		"set a\n":                "takes 2 to 2",
		"eval x filter=`open":    "is not closed",
		"eval x\n  block":        "takes no indented lines",
		"expect rows = 1\n  row": "takes no indented lines",
	} {
		if _, err := Parse("s", in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}

func TestCompactItems(t *testing.T) {
	c := clock{time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	got, err := c.items("request @1m+10s x2 service=api status=500 path=\"/a b\" attributes.n=`5` correlation.user_id=u1")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"attributes":{"n":"5"},"correlation":{"user_id":"u1"},"path":"/a b","service":"api","status":500,"ts":"2026-11-01T12:01:10Z","type":"request"}`
	if len(got) != 2 || string(got[1]) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, bad := range []string{"request", "request noon", "request @1m status", "request @1m x0", "request @1m+x a=b", `request @1m a="b`} {
		if _, err := c.items(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestCompare(t *testing.T) {
	c := clock{time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	var got any
	if err := json.Unmarshal([]byte(`{"rows":[{"ts":"2026-11-01T12:01:00Z","n":5,"m":{"k":"v"}},{"ts":"2026-11-01T12:00:00.5Z"}]}`), &got); err != nil {
		t.Fatal(err)
	}
	rows, err := lookup(got, "rows")
	if err != nil {
		t.Fatal(err)
	}
	table := []BlockLine{{1, "ts | n | m.k"}, {2, "@1m | 5 | v"}, {3, "@500ms | |"}}
	if err := c.compareTable(rows, table); err != nil {
		t.Error(err)
	}
	table[1].Text = "@1m | 6 | v"
	if err := c.compareTable(rows, table); err == nil || !strings.Contains(err.Error(), "@1m0s") {
		t.Errorf("a wrong table: %v", err)
	}
	for _, tc := range []struct {
		path, op string
		want     any
		ok       bool
	}{
		{"rows.#", "=", 2.0, true}, {"rows.0.n", "~", 5.01, true}, {"rows.0.n", "~", 6.0, false},
		{"rows.0.n", ">", 4.0, true}, {"rows.0.m.k", "=", "v", true}, {"rows.0.m.k", "!=", "v", false}, {"gone.deeper", "=", nil, true},
	} {
		v, err := lookup(got, tc.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.compare(v, tc.op, tc.want); (err == nil) != tc.ok {
			t.Errorf("%s %s %v: %v", tc.path, tc.op, tc.want, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("load\n  request @1m a=b\neval requests filter=`x`\nexpect rows\n  a\n  1\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("s", text)
		if err != nil {
			return
		}
		c := clock{time.Unix(0, 0)}
		for _, cmd := range s.Commands {
			for _, line := range cmd.Block {
				if strings.Contains(line.Text, " x") {
					continue // repetitions can be long
				}
				_, _ = c.items(line.Text)
			}
		}
	})
}
