package filter

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trackwayhq/trackway/internal/record"
)

func TestConjuncts(t *testing.T) {
	for in, want := range map[string]string{
		"":                                 "",
		"a:1":                              "a = 1",
		"a:1 b:2 AND (c:3 d:4)":            "a = 1; b = 2; c = 3; d = 4",
		"a:1 (b:2 OR c:3)":                 "a = 1; b = 2 OR c = 3",
		"-(a:1 OR b:2 OR -c:3)":            "NOT a = 1; NOT b = 2; c = 3",
		"NOT (a:1 OR (b:2 OR NOT (c:3)))":  "NOT a = 1; NOT b = 2; c = 3",
		"NOT (a:1 b:2)":                    "NOT (a = 1 AND b = 2)",
		"status:5xx":                       "status >= 500; status <= 599",
		"-(a:1 OR (b:2 c:3)) status:1..2 ": "NOT a = 1; NOT (b = 2 AND c = 3); status >= 1; status <= 2",
		// A NOT that an OR brings out is gone through again.
		"-(a:1 OR -(b:2 c:3))": "NOT a = 1; b = 2; c = 3",
	} {
		e, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range Conjuncts(e) {
			got = append(got, String(n))
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%s:\n got %s\nwant %s", in, s, want)
		}
	}
}

func TestEqualities(t *testing.T) {
	type equality struct {
		key          string
		values       string
		maybe, whole bool
	}
	for _, tc := range []struct {
		in              string
		keys, attribute equality // an empty key for none
	}{
		{"correlation['k'] = 'v'", equality{"k", "v", false, true}, equality{}},
		{"correlation['k'] = 5", equality{"k", "5", false, true}, equality{}},
		{"correlation['k'] IN ('v', 5)", equality{"k", "v 5", false, true}, equality{}},
		{"correlation['k'] != 'v'", equality{}, equality{}},
		{"correlation['k'] NOT IN ('v', 'w')", equality{}, equality{}},
		{"NOT correlation['k'] = 'v'", equality{}, equality{}},
		{"k:v", equality{"k", "v", true, false}, equality{"k", "v", true, false}},
		{"k:5", equality{"k", "5", true, false}, equality{"k", "5", true, false}},
		{"attributes['k'] = 'v'", equality{}, equality{"k", "v", false, true}},
		{"attributes['k'] = 5", equality{}, equality{}},
		{"attributes['k'] IN ('v', 'w')", equality{}, equality{"k", "v w", false, true}},
		{"attributes['k'] IN ('v', 5)", equality{}, equality{}},
		{"attributes['http.route'] = '/x'", equality{}, equality{}},
		{"http.route:/x", equality{"http.route", "/x", true, false}, equality{}},
		{"k:v OR k:w", equality{"k", "v w", true, false}, equality{"k", "v w", true, false}},
		{"correlation.k:v OR correlation.k:w", equality{"k", "v w", false, true}, equality{}},
		{"correlation.k:v OR correlation.j:w", equality{}, equality{}},
		{"correlation.k:v OR k:w", equality{}, equality{}},
		{"(correlation.k:v status:500) OR correlation.k:w", equality{"k", "v w", false, false}, equality{}},
		{"status = 500", equality{}, equality{}},
	} {
		e, err := Parse(tc.in)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, got Equality, ok bool, want equality) {
			if ok != (want.key != "") || ok && (got.Key != want.key || strings.Join(got.Values, " ") != want.values || got.Maybe != want.maybe || got.Whole != want.whole) {
				t.Errorf("%s: %s: got %+v, %v, want %+v", tc.in, what, got, ok, want)
			}
		}
		got, ok := KeyEquality(e.Root)
		check("key", got, ok, tc.keys)
		got, ok = AttributeEquality(e.Root, record.Request)
		check("attribute", got, ok, tc.attribute)
	}
}

// implied are terms whose implications indexes know.
var implied = []string{
	"correlation.k:v", "correlation.k IN ('v', '2')", "correlation.k != 'v'", "k:v", "k IN ('v', 'w')", "k:2", "k != 'v'", "attributes.k = 'v'", "attributes.k IN ('v','w')", "attributes.k:2", "http.route:v",
	"duration:>2", "duration < 3", "duration BETWEEN 1 AND 3", "duration IN (1, 4)", "duration NOT IN (1, 4)", "duration != 2", "duration > -1", "duration < 0", "duration = 1.5", "status:5xx", "service:v", `"v"`, "EXISTS k",
}

func impliedFilter(r *rand.Rand, depth int) string {
	sub := func() string { return impliedFilter(r, depth-1) }
	if depth == 0 {
		return implied[r.IntN(len(implied))]
	}
	switch r.IntN(5) {
	case 0, 1:
		return "(" + sub() + " AND " + sub() + ")"
	case 2, 3:
		return "(" + sub() + " OR " + sub() + ")"
	default:
		return "NOT " + sub()
	}
}

// What is said to be implied by a filter holds for every record that satisfies it,
// and a filter is the conjunction of its conjuncts.
func TestImplications(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	values := []string{"v", "w", "2", "2.0", ""}
	var records []record.Record
	for range 200 {
		rec := record.Record{Kind: record.Kind(1 + r.IntN(3)), Service: values[r.IntN(5)], Route: values[r.IntN(5)], SpanKind: "http", Status: uint16(r.IntN(600)), Duration: uint64(r.IntN(6))}
		if r.IntN(2) == 0 {
			rec.Correlation = record.Pairs{{Key: "k", Value: values[r.IntN(5)]}}
		}
		if r.IntN(2) == 0 {
			v := values[r.IntN(5)]
			rec.Attributes = record.Pairs{{Key: "k", Value: v}}
			rec.FacetItems = []string{[]string{"k=" + v, "k=(other)", "(other)"}[r.IntN(3)]}
		}
		records = append(records, rec)
	}
	matched, told := 0, 0
	for range 1200 {
		text := impliedFilter(r, r.IntN(4))
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		parts := Conjuncts(e)
		for i := range records {
			rec := &records[i]
			all := true
			for _, n := range parts {
				all = all && Match(n, rec)
			}
			if all != e.Match(rec) {
				t.Fatalf("%s: its conjuncts say %v of %+v", text, all, rec)
			}
			if !all {
				continue
			}
			matched++
			for _, n := range append(parts, e.Root) {
				told += checkImplied(t, n, rec)
			}
		}
	}
	if matched < 1000 || told < 1000 {
		t.Errorf("only %d matches, %d implications", matched, told)
	}
}

func checkImplied(t *testing.T, n Node, rec *record.Record) (told int) {
	t.Helper()
	fail := func(what string) { t.Fatalf("%s: %s does not hold for %+v", String(n), what, rec) }
	key, keyOK := KeyEquality(n)
	attribute, attributeOK := AttributeEquality(n, rec.Kind)
	ofKey, hasKey := rec.Correlation.Get("k")
	if keyOK && key.Key == "k" {
		told++
		if held := hasKey && slices.Contains(key.Values, ofKey); !held && (!key.Maybe || hasKey) {
			fail("the equality of the key")
		}
	}
	if attributeOK && attribute.Key == "k" && (!attribute.Maybe || !hasKey) {
		told++
		items := FacetItems(attribute)
		if !slices.ContainsFunc(rec.FacetItems, func(item string) bool { return slices.Contains(items, item) }) {
			fail("the equality of the attribute")
		}
	}
	if least, greatest := Durations(n); least > 0 || greatest < math.MaxUint64 {
		told++
		if rec.Kind == record.Event || rec.Duration < least || rec.Duration > greatest {
			fail("the bounds of the duration")
		}
	}
	return told
}

func TestReadsOnly(t *testing.T) {
	dimensions := map[string]bool{"service": true, "status": true, "route": true}
	for in, want := range map[string]bool{
		"status:5xx service:a -route:/x*": true, "EXISTS route": true, "status IN (1, 2) OR NOT service ~ 'x'": true,
		"status:5xx env:a": false, "route:x OR k:v": false, `"text"`: false, "attributes.k:v": false,
	} {
		e, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := ReadsOnly(e.Root, dimensions); got != want {
			t.Errorf("%s: got %v", in, got)
		}
	}
	e, _ := Parse(`k:v "text"`)
	all := map[string]bool{"correlation": true, "attributes": true}
	for _, c := range TextColumns {
		all[c] = true
	}
	if !ReadsOnly(e.Root, all) {
		t.Error("a bare name and free text read other columns")
	}
}
