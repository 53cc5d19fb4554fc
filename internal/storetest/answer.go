package storetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// lookup walks a path of keys and positions through decoded JSON. A key that is
// not there gives nil, as answers leave out what is empty.
func lookup(v any, path string) (any, error) {
	if path == "" {
		return v, nil
	}
	for _, step := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			if step == "#" {
				v = float64(len(at))
				continue
			}
			v = at[step]
		case []any:
			if step == "#" {
				v = float64(len(at))
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, fmt.Errorf("%s: %s is no position in an array of %d", path, step, len(at))
			}
			v = at[i]
		case nil:
			return nil, nil
		default:
			return nil, fmt.Errorf("%s: there is nothing below %v", path, v)
		}
	}
	return v, nil
}

// show writes a value the way tables do.
func (c clock) showValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return c.show(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// compareTable checks an array against the lines of a table.
func (c clock) compareTable(got any, block []BlockLine) error {
	if len(block) == 0 {
		return fmt.Errorf("a table needs a line with the names of its fields")
	}
	elements, ok := got.([]any)
	if !ok {
		return fmt.Errorf("want an array, got %s", c.showValue(got))
	}
	names := cells(block[0].Text)
	want := make([][]string, 0, len(block)-1)
	for _, line := range block[1:] {
		row := cells(line.Text)
		if len(row) != len(names) {
			return fmt.Errorf("line %d has %d fields, the table has %d", line.Line, len(row), len(names))
		}
		for i := range row {
			if d, err := offset(row[i]); err == nil && row[i] != "@" {
				row[i] = "@" + d.String()
			}
		}
		want = append(want, row)
	}
	have := make([][]string, len(elements))
	for i, element := range elements {
		for _, name := range names {
			v, err := lookup(element, name)
			if err != nil {
				return err
			}
			have[i] = append(have[i], c.showValue(v))
		}
	}
	if len(want) == len(have) && (len(want) == 0 || reflect.DeepEqual(want, have)) {
		return nil
	}
	return fmt.Errorf("got %d rows:\n%s", len(have), align(names, have))
}

func cells(line string) []string {
	parts := strings.Split(line, "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// align writes rows as a table that can be pasted into a script.
func align(names []string, rows [][]string) string {
	width := make([]int, len(names))
	all := append([][]string{names}, rows...)
	for _, row := range all {
		for i, cell := range row {
			width[i] = max(width[i], len(cell))
		}
	}
	var b strings.Builder
	for _, row := range all {
		b.WriteString(" ")
		for i, cell := range row {
			if i > 0 {
				b.WriteString(" |")
			}
			b.WriteString(" " + cell + strings.Repeat(" ", width[i]-len(cell)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// tolerance is what ~ allows: more than the error of interpolated quantiles.
const tolerance = 0.01

// compare checks one value.
func (c clock) compare(got any, op string, want any) error {
	failed := fmt.Errorf("got %s, want it %s %s", c.showValue(got), op, c.showValue(want))
	a, aNumber := got.(float64)
	b, bNumber := want.(float64)
	ordered := aNumber && bNumber
	order := cmp.Compare(a, b)
	if at, isText := got.(string); isText {
		if bt, isText := want.(string); isText {
			ordered, order = true, cmp.Compare(at, bt)
		}
	}
	var ok bool
	switch op {
	case "=":
		ok = c.equal(got, want)
	case "!=":
		ok = !c.equal(got, want)
	case "~":
		ok = aNumber && bNumber && math.Abs(a-b) <= tolerance*math.Abs(b)
	case "<":
		ok = ordered && order < 0
	case "<=":
		ok = ordered && order <= 0
	case ">":
		ok = ordered && order > 0
	case ">=":
		ok = ordered && order >= 0
	default:
		return fmt.Errorf("%q compares nothing; there are = != < <= > >= ~", op)
	}
	if !ok {
		return failed
	}
	return nil
}

func (c clock) equal(a, b any) bool {
	return reflect.DeepEqual(a, b) || c.showValue(a) == c.showValue(b)
}

func decode(body []byte) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the answer is no JSON: %w: %.200s", err, body)
	}
	return v, nil
}
