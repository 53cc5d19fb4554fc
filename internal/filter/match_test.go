package filter

import (
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

func sample() record.Record {
	return record.Record{
		Kind: record.Request, Project: "default", Service: "api", Env: "prod", SpanKind: "http",
		Time:   time.Date(2026, 1, 31, 12, 0, 0, 5, time.UTC),
		Method: "GET", Route: "/projects/:id/tasks", Status: 500, Duration: 812_400_000,
		TraceID: [16]byte{0x4b, 0xf9}, SpanID: [8]byte{1},
		Attributes:  record.Pairs{{Key: "plan", Value: "enterprise"}, {Key: "n", Value: "100"}, {Key: "f", Value: "1.0"}, {Key: "zip", Value: "01234"}, {Key: "empty"}, {Key: "inf", Value: "Inf"}},
		Correlation: record.Pairs{{Key: "account_id", Value: "acc_108"}},
	}
}

func TestMatch(t *testing.T) {
	request := sample()
	event := record.Record{Kind: record.Event, Name: "order.paid", Severity: 9, Time: request.Time}
	for _, tc := range []struct {
		in             string
		request, event bool
	}{
		{"", true, true},
		{"  ", true, true},
		{"status >= 500", true, false},
		{"status != 200", true, false}, // an event has no status: neither equal nor unequal
		{"status > -1", true, false},
		{"type = 'event'", false, true},
		{"name = 'order.paid'", false, true},
		{"name != 'x'", true, true},
		{"severity >= 9", false, true},
		{"release = ''", true, true}, // a column of the kind is present, if empty
		{"route = '/projects/:id/tasks' AND method = 'GET'", true, false},
		{"route = '/projects/:id/tasks' AND method = 'PUT'", false, false},
		{"service > 'ap' AND service < 'apj'", true, false},
		{"duration_ms > 812.4", false, false},
		{"duration_ms >= 812.4", true, false},
		{"duration_ms = 812.4", true, false},
		{"duration > 800ms AND duration < 1s", true, false},
		{"trace_id = '4BF90000000000000000000000000000'", true, false},
		{"span_id != '0100000000000000'", false, true},
		{"parent_span_id = '0000000000000000'", true, false},
		{"ts >= '2026-01-31T12:00:00.000000005Z'", true, true},
		{"ts > '2026-01-31T12:00:00.000000005Z'", false, false},
		{"attributes['plan'] = 'enterprise'", true, false},
		{"attributes['plan'] != 'free'", true, false},
		{"attributes['none'] = ''", false, false},
		{"attributes['none'] != 'x'", false, false},
		{"attributes['none'] < 'x'", false, false},
		{"attributes['empty'] = ''", true, false},
		{"attributes['n'] = 100", true, false},
		{"attributes['n'] = 1e2", true, false},
		{"attributes['n'] > 99", true, false},
		{"attributes['n'] > '99'", true, false},   // both are numbers
		{"attributes['n'] > '99x'", false, false}, // text: "1" sorts before "9"
		{"attributes['f'] = 1", true, false},
		{"attributes['f'] = '1'", false, false}, // a quoted literal equals as text
		{"attributes['zip'] = '01234'", true, false},
		{"attributes['zip'] = '1234'", false, false},
		{"attributes['plan'] = 5", false, false},
		{"attributes['plan'] != 5", true, false},
		{"attributes['plan'] > 5", false, false},
		{"attributes['inf'] > 5", false, false}, // Inf is text
		{"correlation['account_id'] = 'acc_108'", true, false},
		{"correlation['account_id'] >= 'acc_107'", true, false},
	} {
		t.Run(tc.in, func(t *testing.T) {
			e, err := Parse(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Match(&request); got != tc.request {
				t.Errorf("request: got %v, want %v", got, tc.request)
			}
			if got := e.Match(&event); got != tc.event {
				t.Errorf("event: got %v, want %v", got, tc.event)
			}
		})
	}
}

var benchmarked = []string{
	"status >= 500",
	"status >= 500 AND route = '/projects/:id/tasks'",
	"attributes['plan'] = 'enterprise'",
	"attributes['n'] > 99",
	"trace_id = '4bf90000000000000000000000000000'",
	"user_id:u_1137 status:5xx -route:/health",
	`"timed out"`,
	"route:/projects/*",
	"path LIKE '/a%b%c'",
	"name ~ '^GET .*(tasks|users)'",
	"service IN ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i')",
	"attributes['plan'] IN ('free', 'enterprise', 5)",
}

// A match costs a record of the live tail nothing but time.
func TestMatchDoesNotAllocate(t *testing.T) {
	r := sample()
	r.ErrorMessage = strings.Repeat("x", 1000)
	for _, s := range benchmarked {
		e, err := Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		e.Match(&r)
		if n := testing.AllocsPerRun(100, func() { e.Match(&r) }); n > 0 {
			t.Errorf("%s: %g allocations", s, n)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	r := sample()
	for _, s := range benchmarked {
		e, err := Parse(s)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Match(&r)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("status >= 500 AND route = '/projects/:id/tasks' AND duration_ms > 800"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCheapTermsAreMatchedFirst(t *testing.T) {
	for in, want := range map[string]string{
		`"text" name ~ 'x.*y' user_id:1 attributes.a:2 status:500`: `status = 500 AND attributes['a'] = 2 AND user_id = 1 AND "text" AND name ~ 'x.*y'`,
		`"text" OR a:1 OR (status:1 b:2)`:                          `a = 1 OR (status = 1 AND b = 2) OR "text"`,
	} {
		e, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		switch n := e.Root.(type) {
		case *And:
			got = String(newAnd(n.order))
		case *Or:
			got = String(newOr(n.order))
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
}
