package queryserver

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

const filterDocs = "../docs/filter.md"

// docsTable gives the rows of the tables of the page that have this header, with
// the marks of code taken off.
func docsTable(t *testing.T, header string) [][]string {
	t.Helper()
	page, err := os.ReadFile(filterDocs)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	inside := false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		switch {
		case line == header:
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "| ---"):
			cells := strings.Split(strings.Trim(line, "|"), " | ")
			for i := range cells {
				cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
			}
			rows = append(rows, cells)
		}
	}
	if len(rows) < 5 {
		t.Fatalf("%s: no table %s", filterDocs, header)
	}
	return rows
}

// The short forms of the documentation mean what stands beside them.
func TestDocumentedShortForms(t *testing.T) {
	for _, row := range docsTable(t, "| short | long |") {
		short, err := filter.Parse(row[0])
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		if short.String() != row[1] {
			t.Errorf("%s: the documentation says %s, it is %s", row[0], row[1], short)
		}
	}
}

// The table of semantics is true of the predicate and of the store.
func TestDocumentedSemantics(t *testing.T) {
	s := newTestStore(t)
	rows := docsTable(t, "| record | filter | matches |")
	records := map[uint64]*record.Record{}
	var filters []*filter.Expr
	for i, row := range rows {
		rec := documentedRecord(t, row[0], uint64(i))
		records[rec.RID] = rec
		s.insert(*rec)
		expr, err := filter.Parse(row[1])
		if err != nil {
			t.Fatalf("%s: %v", row[1], err)
		}
		filters = append(filters, expr)
		if want := row[2] == "yes"; expr.Match(rec) != want {
			t.Errorf("%s of %s: the documentation says %s", row[1], row[0], row[2])
		}
	}
	agree(t, s, record.Request, filters, records)
}

// documentedRecord makes a request of key=value pairs: columns, maps after a dot,
// and attributes.
func documentedRecord(t *testing.T, text string, rid uint64) *record.Record {
	t.Helper()
	rec := &record.Record{Kind: record.Request, Project: "default", Time: completeTime, RID: rid}
	if text == "nothing" {
		return rec
	}
	for _, part := range strings.Split(text, ", ") {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			t.Fatalf("record %q: want key=value", text)
		}
		value = strings.ReplaceAll(value, "⏎", "\n")
		number, _ := strconv.ParseUint(value, 10, 64)
		switch name, ofMap, _ := strings.Cut(key, "."); {
		case key == "status":
			rec.Status = uint16(number)
		case key == "duration":
			rec.Duration = number
		case key == "route":
			rec.Route = value
		case name == "correlation":
			rec.Correlation = append(rec.Correlation, record.Pair{Key: ofMap, Value: value})
		case name == "attributes":
			rec.Attributes = append(rec.Attributes, record.Pair{Key: ofMap, Value: value})
		default:
			rec.Attributes = append(rec.Attributes, record.Pair{Key: key, Value: value})
		}
	}
	return rec
}

// Every example of the documentation is a filter that the store answers.
func TestDocumentedExamples(t *testing.T) {
	page, err := os.ReadFile(filterDocs)
	if err != nil {
		t.Fatal(err)
	}
	s := newTestStore(t)
	rec := record.Record{Kind: record.Request, Project: "default", Time: completeTime, RID: 1, Service: "api", Status: 500, Route: "/projects/:id/tasks", Duration: 2e12}
	s.insert(rec)
	var filters []*filter.Expr
	inside := false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```filter"
		case inside:
			expr, err := filter.Parse(line)
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			filters = append(filters, expr)
		}
	}
	if len(filters) < 15 {
		t.Fatalf("only %d examples", len(filters))
	}
	agree(t, s, record.Request, filters, map[uint64]*record.Record{1: &rec})
	agree(t, s, record.Event, filters, nil)
	agree(t, s, record.Span, filters, nil)
}
