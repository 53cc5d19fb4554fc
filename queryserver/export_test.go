package queryserver

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// exported is what a reader of an export gets.
type exported struct {
	status  int
	header  http.Header
	body    string
	trailer http.Header
}

func (s *testStore) export(ctx context.Context, query ...string) exported {
	s.t.Helper()
	v := url.Values{"from": {"2026-11-01T00:00:00Z"}, "to": {"2026-11-02T00:00:00Z"}}
	for i := 0; i+1 < len(query); i += 2 {
		v.Set(query[i], query[i+1])
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.api.URL+"/api/v1/projects/default/export?"+v.Encode(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var body io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(resp.Body); err != nil {
			s.t.Fatal(err)
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		s.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return exported{resp.StatusCode, resp.Header, string(text), resp.Trailer}
}

// An export has what the listings have, record by record, over many pages, packed
// and in both formats.
func TestExportIsTheListing(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(17, 6))
	all := someRequests(r, 6000)
	for i := range all {
		all[i].Path, all[i].Marks = "/a,\"b\"\n'ä'", "clamped,truncated"
	}
	s.insert(all...)
	listing := decodeAnswer[Rows](t, s, "requests", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z", "filter", "status >= 400", "limit", "10000")

	got := s.export(t.Context(), "filter", "status >= 400")
	if got.status != http.StatusOK || got.header.Get("Content-Encoding") != "gzip" || got.trailer.Get(trailerComplete) != "true" || got.trailer.Get(trailerRecords) != fmt.Sprint(len(listing.Rows)) {
		t.Fatalf("%d %v, trailers %v", got.status, got.header, got.trailer)
	}
	var rows []record.JSON
	lines := bufio.NewScanner(strings.NewReader(got.body))
	for lines.Scan() {
		var row record.JSON
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if a, b := fmt.Sprint(rows), fmt.Sprint(listing.Rows); a != b {
		t.Errorf("%d records exported, %d listed, and they differ", len(rows), len(listing.Rows))
	}

	got = s.export(t.Context(), "filter", "status >= 400", "format", "csv", "columns", "path,status,attributes,marks,ts")
	table, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
	if err != nil || len(table) != len(rows)+1 || !slices.Equal(table[0], []string{"id", "path", "status", "attributes", "marks", "ts"}) {
		t.Fatalf("%v: %d lines, first %v", err, len(table), table[0])
	}
	for i, line := range table[1:] {
		attributes := map[string]string{}
		_ = json.Unmarshal([]byte(line[3]), &attributes)
		if row := rows[i]; line[0] != row.ID || line[1] != row.Path || line[2] != fmt.Sprint(row.Status) || fmt.Sprint(attributes) != fmt.Sprint(row.Attributes) || line[4] != "clamped,truncated" || line[5] != row.Time {
			t.Fatalf("line %d: %v, want %+v", i, line, row)
		}
	}
	all8 := s.export(t.Context(), "format", "csv", "kind", "event")
	if head, _, _ := strings.Cut(all8.body, "\n"); !strings.HasPrefix(head, "id,type,ts,project,service,env") || strings.Contains(head, "route") || !strings.Contains(head, "severity") {
		t.Errorf("header of events: %s", head)
	}
}

// An export that ends early says so in its last line, and can be gone on with.
func TestExportEndsEarly(t *testing.T) {
	s := newTestStore(t)
	s.insert(someRequests(rand.New(rand.NewPCG(17, 7)), 1300)...)
	ids := map[string]bool{}
	cursor, parts := "", 0
	for {
		parts++
		got := s.export(t.Context(), "limit", "600", "order", "asc", "cursor", cursor)
		lines := strings.Split(strings.TrimSpace(got.body), "\n")
		var end ExportEnd
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil {
			t.Fatal(err)
		}
		early := end.Type == "end"
		if early {
			lines = lines[:len(lines)-1]
		}
		for _, line := range lines {
			var row struct{ ID string }
			if err := json.Unmarshal([]byte(line), &row); err != nil || ids[row.ID] {
				t.Fatalf("%s: %v, or there twice", line, err)
			}
			ids[row.ID] = true
		}
		if early != (got.trailer.Get(trailerComplete) == "false") || early && (end.Records != 600 || end.Reason == "" || end.Error != nil) {
			t.Errorf("last line %+v, trailer %v", end, got.trailer)
		}
		if !early {
			break
		}
		cursor = end.NextCursor
	}
	if len(ids) != 1300 || parts != 3 {
		t.Errorf("%d records in %d parts", len(ids), parts)
	}
	got := s.export(t.Context(), "limit", "2", "format", "csv")
	reader := csv.NewReader(strings.NewReader(got.body))
	reader.FieldsPerRecord = -1
	table, err := reader.ReadAll()
	if err != nil || len(table) != 4 || table[3][0] != csvEnd || !strings.Contains(table[3][1], "limit of 2") || !strings.HasPrefix(table[3][2], "next_cursor=") {
		t.Errorf("%v: %v", err, table)
	}
}

// A store that fails on the way ends the export with its reason.
func TestExportSaysWhyItFailed(t *testing.T) {
	s := newTestStore(t)
	s.insert(someRequests(rand.New(rand.NewPCG(17, 8)), 1200)...)
	a := &api{store: s.client, now: time.Now}
	q := rowsQuestion{project: "default", filter: mustParse(t, ""), window: window{figuresStart, figuresStart.Add(figuresSpan)}}
	q.columns, _ = columnsOf(record.Request, nil)
	ctx, cancel := context.WithCancel(t.Context())
	out := &cuttingWriter{after: 300, cut: cancel}
	n, end := a.sendExport(ctx, q, 5000, out)
	if n != firstPage || end == nil || end.Error == nil || end.NextCursor != out.last {
		t.Errorf("%d records, end %+v, last %s", n, end, out.last)
	}
}

// cuttingWriter ends the context after some records.
type cuttingWriter struct {
	n, after int
	cut      func()
	last     string
}

func (w *cuttingWriter) record(r record.JSON) {
	if w.n++; w.n == w.after {
		w.cut()
	}
	w.last = r.ID
}
func (w *cuttingWriter) end(*ExportEnd) {}
func (w *cuttingWriter) send()          {}
func (w *cuttingWriter) failed() error  { return nil }

func TestBadExports(t *testing.T) {
	s := newTestStore(t)
	for _, query := range [][]string{{"format", "xml"}, {"columns", "nothing"}, {"limit", "0"}, {"kind", "x"}, {"cursor", "x"}, {"filter", "status >= abc"}, {"order", "up"}, {"from", "x"}} {
		if got := s.export(t.Context(), query...); got.status != http.StatusBadRequest || !strings.Contains(got.body, query[0]) {
			t.Errorf("%v: %d %s", query, got.status, got.body)
		}
	}
	if got := s.export(t.Context()); got.status != http.StatusOK || got.body != "" || got.trailer.Get(trailerComplete) != "true" {
		t.Errorf("nothing to export: %+v", got)
	}
}

// Exports and streamed traces are counted together, and HEAD reads nothing.
func TestStreamsAreBounded(t *testing.T) {
	a := &api{now: time.Now}
	for range maxStreams {
		if err := a.streams.take(); err != nil {
			t.Fatal(err)
		}
	}
	if p := asProblem(a.streams.take()); p.Status != http.StatusTooManyRequests {
		t.Errorf("%+v", p)
	}
	a.streams.free()
	if err := a.streams.take(); err != nil {
		t.Error(err)
	}
	s := newTestStore(t)
	s.insert(someRequests(rand.New(rand.NewPCG(17, 10)), 10)...)
	for range 2 * maxStreams { // each frees its place
		for _, path := range []string{"export", "traces/" + someTrace + "?format=ndjson"} {
			resp, err := http.Head(s.api.URL + "/api/v1/projects/default/" + path)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("HEAD %s: %s", path, resp.Status)
			}
		}
	}
}

// Pages that take too much memory are read in parts.
func TestPagesShrink(t *testing.T) {
	var limits []int
	p := newPages(func(_ context.Context, after *record.ID, limit int) ([]record.Record, error) {
		limits = append(limits, limit)
		if limit > 10 {
			return nil, errPageTooBig
		}
		return make([]record.Record, min(limit, 3)), nil
	})
	found, err := p.next(t.Context())
	if err != nil || len(found) != 3 || !slices.Equal(limits, []int{firstPage, firstPage / 8, firstPage / 64}) {
		t.Errorf("%d found with %v, %v", len(found), limits, err)
	}
	p = newPages(func(context.Context, *record.ID, int) ([]record.Record, error) { return nil, errPageTooBig })
	if _, err := p.next(t.Context()); err == nil {
		t.Error("a record that is too big was taken")
	}
}
