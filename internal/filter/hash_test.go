package filter

import (
	"errors"
	"testing"
)

func TestHashKeys(t *testing.T) {
	hashed := func(key string) bool { return key == "user_id" }
	hash := func(v string) string { return "#" + v }
	for in, want := range map[string]string{
		"":                                   "",
		"user_id:u1":                         "correlation['user_id'] = '#u1'",
		"user_id = 7":                        "correlation['user_id'] = '#7'",
		"correlation.user_id != 'u1'":        "correlation['user_id'] != '#u1'",
		"user_id NOT IN ('a', 5)":            "correlation['user_id'] NOT IN ('#a', '#5')",
		"-user_id:a (b:1 OR EXISTS user_id)": "NOT correlation['user_id'] = '#a' AND (b = 1 OR EXISTS correlation['user_id'])",
		"attributes.user_id:a":               "attributes['user_id'] = 'a'",
		"order_id:a status:5xx \"text\"":     `order_id = 'a' AND status >= 500 AND status <= 599 AND "text"`,
	} {
		e, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.HashKeys(hashed, hash)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got.String() != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
		roundTrip(t, got)
	}
	for in, pos := range map[string]int{"user_id > 5": 0, "a:1 user_id:u*": 4, "a:1 OR -(user_id ~ 'x')": 9, "correlation['user_id'] BETWEEN 1 AND 2": 0} {
		e, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.HashKeys(hashed, hash)
		var wrong *Error
		if !errors.As(err, &wrong) || wrong.Pos != pos || pos+wrong.Length > len(in) {
			t.Errorf("%s: got %v, want an error at %d", in, err, pos)
		}
	}
}
