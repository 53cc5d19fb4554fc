package filter

import (
	"errors"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	for _, tc := range []struct {
		in    string // | is where somebody types
		want  Want
		field string
		typed string
		from  int
		quote byte
	}{
		{"|", WantTerm, "", "", 0, 0},
		{"  |", WantTerm, "", "", 2, 0},
		{"sta|", WantTerm, "", "sta", 0, 0},
		{"st|atus = 5", WantTerm, "", "st", 0, 0},
		{"status |", WantTest, "status", "", 7, 0},
		{"status I|", WantTest, "status", "I", 7, 0},
		{"status !|", WantTest, "status", "!", 7, 0},
		{"user_id |", WantTest, "user_id", "", 8, 0},
		{"5 |", WantConnective, "", "", 2, 0},
		{"status >|", WantValue, "status", "", 8, 0},
		{"status >= 5|", WantValue, "status", "5", 10, 0},
		{"status >= 500 |", WantConnective, "", "", 14, 0},
		{"status >= 500 A|", WantConnective, "", "A", 14, 0},
		{"status >= 500 AND |", WantTerm, "", "", 18, 0},
		{"status >= 500 AND NOT ro|", WantTerm, "", "ro", 22, 0},
		{"-ro|", WantTerm, "", "ro", 1, 0},
		{"(ro|", WantTerm, "", "ro", 1, 0},
		{"(status:500) |", WantConnective, "", "", 13, 0},
		{"route = |", WantValue, "route", "", 8, 0},
		{"route = '/pro|", WantValue, "route", "/pro", 8, '\''},
		{`route = "/p\"|`, WantValue, "route", `/p"`, 8, '"'},
		{"route:|", WantShortValue, "route", "", 6, 0},
		{"route:/pro|", WantShortValue, "route", "/pro", 6, 0},
		{`route:/p\ r|`, WantShortValue, "route", "/p r", 6, 0},
		{`route:"/pro|`, WantShortValue, "route", "/pro", 6, '"'},
		{"status:>=5|", WantShortValue, "status", "5", 9, 0},
		{"EXISTS |", WantField, "", "", 7, 0},
		{"EXISTS us|", WantField, "", "us", 7, 0},
		{"EXISTS user_id |", WantConnective, "", "", 15, 0},
		{"attributes[|", WantKey, "attributes", "", 11, 0},
		{"attributes['pl|", WantKey, "attributes", "pl", 11, '\''},
		{"attributes['plan']|", WantOperator, "attributes['plan']", "", 18, 0},
		{"attributes['plan'] = |", WantValue, "attributes['plan']", "", 21, 0},
		{"service IN (|", WantValue, "service", "", 12, 0},
		{"service IN ('a', 'b|", WantValue, "service", "b", 17, '\''},
		{"service NOT LIKE '|", WantValue, "service", "", 17, '\''},
		{"service BETWEEN 'a' AND |", WantValue, "service", "", 24, 0},
		{`"timed ou|`, WantTerm, "", "timed ou", 0, '"'},
		{"a:1 OR |", WantTerm, "", "", 7, 0},
	} {
		t.Run(tc.in, func(t *testing.T) {
			position := strings.Index(tc.in, "|")
			p, err := Complete(strings.Replace(tc.in, "|", "", 1), position)
			if err != nil {
				t.Fatal(err)
			}
			field := ""
			if p.Field.Column != nil && p.Want != WantTerm && p.Want != WantConnective && p.Want != WantField {
				if field = p.Field.Column.Name; p.Want != WantKey {
					field = p.Field.Name()
				}
			}
			if p.Want != tc.want || field != tc.field || p.Typed != tc.typed || p.From != tc.from || p.Quote != tc.quote {
				t.Errorf("got %+v, want %d of %q, typed %q from %d in %q", p, tc.want, tc.field, tc.typed, tc.from, tc.quote)
			}
		})
	}
}

func TestCompleteReplacesTheWord(t *testing.T) {
	p, err := Complete("status = 500 AND rou.x = 5", 19)
	if err != nil || p.From != 17 || p.To != 22 {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestCompleteErrors(t *testing.T) {
	for in, pos := range map[string]int{"status >= abc AND ": 10, "status ! 5 ": 7, ") ": 0, "\xff": 0, "sttaus = 5": 0} {
		_, err := Complete(in, len(in))
		var e *Error
		if !errors.As(err, &e) || e.Pos != pos {
			t.Errorf("%q: got %v, want an error at %d", in, err, pos)
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s, len(s))
		f.Add(s, len(s)/2)
	}
	f.Fuzz(func(t *testing.T, s string, position int) {
		position = int(uint(position) % uint(len(s)+1)) // callers give one within the text
		p, err := Complete(s, position)
		if err == nil && (p.Want == 0 || p.From > position || p.To < position || p.To > len(s) || p.From < 0) {
			t.Fatalf("Complete(%q, %d) = %+v", s, position, p)
		}
	})
}
