package queryserver

import (
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/internal/record"
)

// jsonExport writes a document per line.
type jsonExport struct{ *lines }

func newJSONExport(hc huma.Context) jsonExport {
	return jsonExport{newLines(hc, "application/x-ndjson")}
}

func (e jsonExport) record(r record.JSON) { e.write(r) }
func (e jsonExport) end(end *ExportEnd)   { e.write(end) }
func (e jsonExport) failed() error        { return e.err }

// csvExport writes a header and a line per record.
type csvExport struct {
	*lines
	csv    *csv.Writer
	fields []int // of record.JSON
	row    []string
}

// jsonFields are the fields of record.JSON by their keys, and the keys in order.
var jsonFields, jsonKeys = func() (map[string]int, []string) {
	fields := map[string]int{}
	var keys []string
	t := reflect.TypeFor[record.JSON]()
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[key] = i
		keys = append(keys, key)
	}
	return fields, keys
}()

// exportColumns are the columns of a CSV export: id first, then those asked for,
// or all that records of the kind have.
func exportColumns(set columnSet, asked []string) []string {
	names := []string{"id"}
	if len(asked) == 0 {
		asked = slices.DeleteFunc(slices.Clone(jsonKeys), func(key string) bool {
			return !implied(key) && !slices.ContainsFunc(set.columns, func(c column) bool { return c.name == stored(key) })
		})
	}
	for _, name := range asked {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func newCSVExport(hc huma.Context, names []string) *csvExport {
	e := &csvExport{lines: newLines(hc, "text/csv; charset=utf-8; header=present"), row: make([]string, len(names))}
	e.csv = csv.NewWriter(e.out)
	for _, name := range names {
		e.fields = append(e.fields, jsonFields[name])
	}
	e.put(names)
	return e
}

func (e *csvExport) put(row []string) {
	if e.err == nil {
		e.err = e.csv.Write(row)
	}
}

func (e *csvExport) record(r record.JSON) {
	v := reflect.ValueOf(&r).Elem()
	for i, f := range e.fields {
		e.row[i] = csvValue(v.Field(f))
	}
	e.put(e.row)
}

// csvValue is a field as text: empty where the JSON form leaves it out, maps as
// JSON, lists joined by commas.
func csvValue(v reflect.Value) string {
	if v.IsZero() {
		return ""
	}
	switch value := v.Interface().(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case []string:
		return strings.Join(value, ",")
	case json.RawMessage:
		return string(value)
	case map[string]string:
		text, _ := json.Marshal(value) // a map of texts always has a form
		return string(text)
	}
	return strconv.FormatUint(v.Uint(), 10)
}

func (e *csvExport) end(end *ExportEnd) {
	e.put([]string{csvEnd, "ended early: " + end.Reason, "next_cursor=" + end.NextCursor})
}

func (e *csvExport) send() {
	if e.csv.Flush(); e.err == nil {
		e.err = e.csv.Error()
	}
	e.lines.send()
}

func (e *csvExport) failed() error { return e.err }
