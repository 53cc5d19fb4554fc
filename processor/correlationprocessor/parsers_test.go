package correlationprocessor

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBaggage(t *testing.T) {
	long := strings.Repeat("x", maxBaggageBytes)
	for header, want := range map[string][]string{
		"":                                 nil,
		"a=1":                              {"a=1"},
		" a = 1 ;p=q;r , b=2":              {"a=1", "b=2"},
		"a=1,,b,=2,c d=3,d=":               {"a=1", "d="},
		"a=%F0%9F%8D%AA+%2C,b=%zz":         {"a=🍪+,"},
		"a=1,b=" + long:                    {"a=1"},
		strings.Repeat("a=1,", 64) + "b=2": strings.Split(strings.Repeat("a=1,", 63)+"a=1", ","),
	} {
		var got []string
		eachBaggageMember(header, func(name, value string) { got = append(got, name+"="+value) })
		assert.Equal(t, want, got, "%.40q", header)
	}
}

func TestSplitURL(t *testing.T) {
	for in, want := range map[string][2]string{
		"":                              {"", ""},
		"/a/b":                          {"/a/b", ""},
		"/a?b=c#d?e":                    {"/a", "b=c"},
		"https://example.com":           {"/", ""},
		"https://example.com?x=/y":      {"/", "x=/y"},
		"http://jo:pw@[::1]:80/a/b?c#d": {"/a/b", "c"},
		strings.Repeat("x", maxURL+1):   {"", ""},
	} {
		path, query := splitURL(in)
		assert.Equal(t, want, [2]string{path, query}, "%.40q", in)
	}
}

func TestTemplates(t *testing.T) {
	deep := strings.Repeat("/a", maxSegments+1)
	for _, tt := range []struct {
		template, path string
		want           map[string]string // nil: no match
	}{
		{"/orders/{id}", "/orders/7", map[string]string{"id": "7"}},
		{"/orders/{id}", "/orders/7/", map[string]string{"id": "7"}},
		{"/orders/{id}", "/orders/", nil},
		{"/orders/{id}", "/orders/7/items", nil},
		{"/orders/{id}", "/Orders/7", nil},
		{"/orders/{id}/**", "/orders/7", map[string]string{"id": "7"}},
		{"/orders/{id}/**", "/orders/7/items/9", map[string]string{"id": "7"}},
		{"/*/{id}/items", "/orders/7/items", map[string]string{"id": "7"}},
		{"/{a}/{b}", "/x/y%20z", map[string]string{"a": "x", "b": "y z"}},
		{"/{a}/{b}", "//y", nil},
		{"/{a}/{b}", "/x/%zz", map[string]string{"a": "x"}},
		{"/{a}/**", deep, nil},
	} {
		compiled, err := parseTemplate(tt.template)
		require.NoError(t, err)
		got := map[string]string{}
		matched := compiled.match(splitPath(nil, tt.path), func(key, value string) { got[key] = value })
		assert.Equal(t, tt.want != nil, matched, "%s %s", tt.template, tt.path)
		if matched {
			assert.Equal(t, tt.want, got, "%s %s", tt.template, tt.path)
		}
	}
}

func FuzzBaggage(f *testing.F) {
	f.Add("a=1;p=q , b=%F0%9F%8D%AA,=,;")
	f.Fuzz(func(t *testing.T, header string) {
		members := 0
		eachBaggageMember(header, func(name, _ string) {
			members++
			if !isToken(name) {
				t.Fatalf("name %q", name)
			}
		})
		if members > maxBaggageMembers {
			t.Fatalf("%d members", members)
		}
	})
}

func FuzzURL(f *testing.F) {
	f.Add("https://jo@example.com/orders/o%2F1?a=b&order=%zz+1#x")
	compiled, err := parseTemplate("/orders/{id}/**")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, s string) {
		path, query := splitURL(s)
		parameters := 0
		eachParameter(query, func(string, string) { parameters++ })
		segments := splitPath(nil, path)
		if parameters > maxParameters || len(segments) > maxSegments {
			t.Fatalf("%d parameters, %d segments", parameters, len(segments))
		}
		compiled.match(segments, func(string, string) {})
	})
}

func FuzzTemplate(f *testing.F) {
	f.Add("/orders/{id}/*/**", "/orders/7/a/b")
	f.Fuzz(func(t *testing.T, text, path string) {
		compiled, err := parseTemplate(text)
		if err != nil {
			return
		}
		compiled.match(splitPath(nil, path), func(key, _ string) {
			if !keyName.MatchString(key) {
				t.Fatalf("key %q of %q", key, text)
			}
		})
	})
}

func FuzzBody(f *testing.F) {
	f.Add(`{"order":{"items":[{"id":1e400}]}}`, "order.items.0.id")
	f.Add(`[{"a":"\ud800"}]`, "0.a")
	f.Fuzz(func(t *testing.T, body, path string) {
		if !validBodyPath(path) {
			return
		}
		eachBodyValue(body, []bodyPath{{path: strings.Split(path, ".")}}, func(_ *bodyPath, value string, _ bool) {
			if len(value) > len(body)*utf8.UTFMax {
				t.Fatalf("%d bytes of %d", len(value), len(body))
			}
		})
	})
}
