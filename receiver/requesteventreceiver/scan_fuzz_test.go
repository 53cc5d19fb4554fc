package requesteventreceiver

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// beyond is what the scanner takes and encoding/json does not, or reads otherwise:
// control characters, unknown escapes and lone surrogates, which stay as written,
// and words for numbers that are none.
var beyond = regexp.MustCompile(`[\x00-\x1f]|(?i:nan|inf)|\\[^"\\/bfnrtu]|\\u`)

// Whatever encoding/json takes the scanner takes too, and reads the same; what it
// refuses the scanner refuses, but for what it takes beyond JSON.
func FuzzScan(f *testing.F) {
	for _, line := range []string{
		line700, `{}`, `[]`, ` { "a" : [ 1 , -0 , 1e5 , 0.5E-3 ] } `, `{"a":{"a":1,"a":2}}`, `"\ud83d\ude00\n\\"`, `1e400`, `01`, `-`, `.5`, `1.`, `tru`, `nulll`,
		`{"a":1,}`, `[1,]`, `{"a" 1}`, `{"\ud800":1}`, "{\"\xff\":1}", `123456789012345678901234567890`, `-9223372036854775808`, `[[[[]]]]`, `"\x"`, `NaN`, `""`, `"a`, `"\`,
	} {
		f.Add([]byte(line))
	}
	s := scanner{maxMembers: math.MaxInt}
	f.Fuzz(func(t *testing.T, line []byte) {
		if !utf8.Valid(line) {
			return // the decoder looks at that first
		}
		var want any
		reader := json.NewDecoder(bytes.NewReader(line))
		reader.UseNumber()
		valid := json.Valid(line) && reader.Decode(&want) == nil
		text := string(line)
		lerr := s.scan(bytes.Clone(line))
		switch {
		case lerr != nil && valid && !strings.Contains(lerr.text, "want at most") && !strings.Contains(lerr.text, "nested"):
			t.Fatalf("%q is JSON: %s", text, lerr.text)
		case lerr == nil && !valid && !beyond.MatchString(text):
			t.Fatalf("%q is no JSON", text)
		case lerr == nil && valid && !beyond.MatchString(strings.TrimSpace(text)):
			assert.Equal(t, want, s.any(t, 0), "of %q", text)
		}
	})
}

// any gives a node as encoding/json does with UseNumber, having checked what the
// scanner makes of numbers.
func (s *scanner) any(t *testing.T, i uint32) any {
	n := s.at(i)
	switch n.kind {
	case kindString:
		return s.textOf(n)
	case kindTrue, kindFalse:
		return n.kind == kindTrue
	case kindArray:
		list := []any{}
		for child := range s.children(i) {
			list = append(list, s.any(t, child))
		}
		return list
	case kindObject:
		m := map[string]any{}
		for child := range s.children(i) {
			m[s.keyOf(s.at(child))] = s.any(t, child)
		}
		return m
	case kindWhole, kindDecimal, kindSpecial:
		text := s.textOf(n)
		if n.kind == kindWhole {
			v, ok := s.wholeOf(n)
			want, err := strconv.ParseInt(text, 10, 64)
			assert.Equal(t, err == nil, ok, text)
			if ok {
				assert.Equal(t, want, v, text)
			}
		}
		if v, ok := s.doubleOf(n); ok {
			want, err := strconv.ParseFloat(text, 64)
			assert.NoError(t, err)
			assert.Equal(t, want, v, text)
		}
		return json.Number(text)
	case kindNull:
	}
	return nil
}
