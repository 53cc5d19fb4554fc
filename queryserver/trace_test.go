package queryserver

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

const someTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

func traceRecord(kind record.Kind, id, parent uint64, service string, start, duration time.Duration) record.Record {
	r := record.Record{
		Kind: kind, Project: "default", RID: id, Time: figuresStart.Add(start), Duration: uint64(duration),
		Service: service, SpanKind: "internal", Name: fmt.Sprint("span ", id),
		TraceID: [16]byte{0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36},
	}
	binary.BigEndian.PutUint64(r.SpanID[:], id)
	binary.BigEndian.PutUint64(r.ParentSpanID[:], parent)
	return r
}

// A trace comes with the tree of its spans, over kinds, services and minutes.
func TestTraceHasAShape(t *testing.T) {
	s := newTestStore(t)
	s.insert(
		traceRecord(record.Request, 1, 0, "web", 0, 90*time.Second),
		traceRecord(record.Span, 2, 1, "web", 10*time.Second, 60*time.Second),
		traceRecord(record.Request, 3, 2, "api", 5*time.Second, 40*time.Second), // its clock is 15 s behind
		traceRecord(record.Event, 3, 0, "api", 20*time.Second, 0),
		traceRecord(record.Span, 4, 77, "job", 30*time.Second, time.Second),
	)
	got := decodeAnswer[Trace](t, s, "traces/"+strings.ToUpper(someTrace))
	id := func(rid uint64, at time.Duration) string {
		return record.ID{Time: figuresStart.Add(at), RID: rid}.String()
	}
	if got.TraceID != someTrace || len(got.Records) != 5 || got.Truncated || len(got.Spans) != 4 || len(got.Roots) != 2 {
		t.Fatalf("%+v", got)
	}
	if !slices.IsSortedFunc(got.Records, func(a, b record.JSON) int { return strings.Compare(a.Time, b.Time) }) {
		t.Error("records are not in order")
	}
	root, called, caller, lost := got.Spans[0], got.Spans[1], got.Spans[2], got.Spans[3]
	if root.ID != id(1, 0) || root.SelfMS != 30_000 || root.ParentID != "" || root.Depth != 0 {
		t.Errorf("root %+v", root)
	}
	if called.ID != id(3, 5*time.Second) || called.ParentID != caller.ID || called.SkewMS != 15_000 || called.Depth != 2 || !slices.Equal(called.Notes, []string{"skewed"}) {
		t.Errorf("called %+v", called)
	}
	if lost.ParentID != "" || !slices.Equal(lost.Notes, []string{"missing_parent"}) || got.Roots[1] != lost.ID {
		t.Errorf("lost %+v, roots %v", lost, got.Roots)
	}
	want := []PathSegment{{root.ID, 0, 10_000}, {caller.ID, 10_000, 20_000}, {called.ID, 20_000, 60_000}, {caller.ID, 60_000, 70_000}, {root.ID, 70_000, 90_000}}
	if !slices.Equal(got.CriticalPath, want) || got.DurationMS != 90_000 || !got.Start.Equal(figuresStart) {
		t.Errorf("path %v from %s, %v ms", got.CriticalPath, got.Start, got.DurationMS)
	}
	if len(got.Services) != 3 || got.Services[0] != (ServiceShare{"web", 2, 50_000}) {
		t.Errorf("services %+v", got.Services)
	}

	none := decodeAnswer[Trace](t, s, "traces/00000000000000000000000000000001")
	if len(none.Records) != 0 || none.Spans == nil || none.CriticalPath == nil || none.Roots == nil {
		t.Errorf("an unknown trace: %+v", none)
	}
}

// streamed is a trace as the lines of its stream say.
type streamed struct {
	ids   []string
	spans []SpanShape
	path  TraceShape
	end   *endLine
	types []string
}

func readTraceStream(t *testing.T, body []byte) streamed {
	t.Helper()
	var out streamed
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var head struct{ Type, ID string }
		if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
			t.Fatalf("%v: %.200s", err, lines.Bytes())
		}
		if n := len(out.types); n == 0 || out.types[n-1] != head.Type {
			out.types = append(out.types, head.Type)
		}
		var into any
		switch head.Type {
		case "request", "span", "event":
			out.ids = append(out.ids, head.ID)
			continue
		case "shape":
			out.spans = append(out.spans, SpanShape{})
			into = &out.spans[len(out.spans)-1]
		case "path":
			into = &out.path
		case "end":
			out.end = &endLine{}
			into = out.end
		case "trace":
			continue
		default:
			t.Fatalf("a line of type %q", head.Type)
		}
		if err := json.Unmarshal(lines.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	if lines.Err() != nil || out.end == nil {
		t.Fatalf("the stream has no end: %v", lines.Err())
	}
	return out
}

// A trace of more records than a document holds comes whole as a stream, each
// record once, over several pages.
func TestBigTraceStreams(t *testing.T) {
	s := newTestStore(t)
	const n = 12_000
	var all []record.Record
	for i := range uint64(n) {
		all = append(all, traceRecord(record.Span, i+1, (i+1)/2, "web", time.Duration(i/7)*time.Millisecond, time.Minute))
		if i%10 == 0 {
			all = append(all, traceRecord(record.Event, n+i, 0, "web", time.Duration(i/7)*time.Millisecond, 0))
		}
	}
	all[0].Kind = record.Request
	s.insert(all...)
	status, body := s.get("traces/"+someTrace, "format", "ndjson")
	got := readTraceStream(t, body)
	if status != http.StatusOK || got.types[0] != "trace" || len(got.ids) != len(all) || got.end.Records != len(all) || got.end.Error != nil || got.end.Truncated {
		t.Fatalf("%d: %d records, end %+v, want %d", status, len(got.ids), got.end, len(all))
	}
	if !slices.IsSorted(got.ids) || len(slices.Compact(slices.Clone(got.ids))) != len(all) {
		t.Error("records are out of order or there twice")
	}
	if len(got.spans) != n || len(got.path.Roots) != 1 || len(got.path.CriticalPath) == 0 {
		t.Errorf("%d spans, %d roots, %d segments", len(got.spans), len(got.path.Roots), len(got.path.CriticalPath))
	}
	document := decodeAnswer[Trace](t, s, "traces/"+someTrace)
	if len(document.Records) != maxTraceRecords || !document.Truncated {
		t.Errorf("the document has %d records, truncated %t", len(document.Records), document.Truncated)
	}
	if status, body := s.get("traces/00000000000000000000000000000001", "format", "ndjson"); status != http.StatusOK || readTraceStream(t, body).end.Records != 0 {
		t.Errorf("an unknown trace: %d: %s", status, body)
	}
	if status, _ := s.get("traces/"+someTrace, "format", "xml"); status != http.StatusBadRequest {
		t.Errorf("format=xml: %d", status)
	}
}
