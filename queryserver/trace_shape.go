package queryserver

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/traceshape"
)

// TraceShape is what the spans of a trace, requests among them, make together.
type TraceShape struct {
	Spans        []SpanShape    `json:"spans" doc:"One for each request and span, in the order of records."`
	Roots        []string       `json:"roots" doc:"Ids of the records without a parent, earliest first."`
	CriticalPath []PathSegment  `json:"critical_path" doc:"What the end of the longest root waited for, in order of time, without gaps."`
	Start        time.Time      `json:"start,omitzero" doc:"Start of the earliest span, clocks corrected. The path counts from it."`
	DurationMS   float64        `json:"duration_ms" doc:"From start to the end of the last span."`
	Services     []ServiceShare `json:"services" doc:"Self time by service, the greatest first."`
}

// SpanShape is a span's place in the tree.
type SpanShape struct {
	ID         string   `json:"id" doc:"The record's id."`
	ParentID   string   `json:"parent_id,omitempty" doc:"Id of the record it is called by; absent of a root."`
	Depth      int      `json:"depth"`
	SelfMS     float64  `json:"self_ms" doc:"Time in which no child ran."`
	CriticalMS float64  `json:"critical_ms,omitempty" doc:"Its own time on the critical path."`
	SkewMS     float64  `json:"skew_ms,omitempty" doc:"What its clock is behind that of its caller; the path and start have it added."`
	Notes      []string `json:"notes,omitempty" doc:"missing_parent, cycle, duplicate (of a span id), async (ends after its parent), skewed."`
}

// PathSegment is a piece of the critical path.
type PathSegment struct {
	ID     string  `json:"id" doc:"The record's id."`
	FromMS float64 `json:"from_ms" doc:"Since start."`
	ToMS   float64 `json:"to_ms"`
}

// ServiceShare is the time a service spent itself.
type ServiceShare struct {
	Service string  `json:"service"`
	Spans   int     `json:"spans"`
	SelfMS  float64 `json:"self_ms"`
}

// traceSpans is what of a trace's records its shape is made from.
type traceSpans []traceSpan

type traceSpan struct {
	id record.ID
	traceshape.Span
}

// add takes a record; events have no place of their own in the tree.
func (s *traceSpans) add(r *record.Record) {
	if r.Kind == record.Event {
		return
	}
	*s = append(*s, traceSpan{r.ID(), traceshape.Span{
		ID: r.SpanID, Parent: r.ParentSpanID, Service: r.Service, Start: r.Time.UnixNano(), Duration: int64(min(r.Duration, maxDuration)),
	}})
}

// maxDuration keeps sums of times within an int64: a hundred years.
const maxDuration = 100 * 365 * 24 * uint64(time.Hour)

var noteNames = []struct {
	note traceshape.Note
	name string
}{
	{traceshape.MissingParent, "missing_parent"}, {traceshape.Cycle, "cycle"}, {traceshape.Duplicate, "duplicate"},
	{traceshape.Async, "async"}, {traceshape.Skewed, "skewed"},
}

// shapeOf gives the shape of a trace.
func shapeOf(spans traceSpans) TraceShape {
	out := TraceShape{Spans: []SpanShape{}, Roots: []string{}, CriticalPath: []PathSegment{}, Services: []ServiceShare{}}
	if len(spans) == 0 {
		return out
	}
	bare := make([]traceshape.Span, len(spans))
	for i := range spans {
		bare[i] = spans[i].Span
	}
	shape := traceshape.Of(bare)
	first, last := int64(0), int64(0)
	services := map[string]*ServiceShare{}
	for i, p := range shape.Spans {
		start := bare[i].Start + p.Skew
		if i == 0 || start < first {
			first = start
		}
		if end := start + bare[i].Duration; i == 0 || end > last {
			last = end
		}
		out.Spans = append(out.Spans, spanShape(spans, i, p))
		service := services[bare[i].Service]
		if service == nil {
			service = &ServiceShare{Service: bare[i].Service}
			services[service.Service] = service
		}
		service.Spans++
		service.SelfMS += milliseconds(p.Self)
	}
	for _, i := range shape.Roots {
		out.Roots = append(out.Roots, spans[i].id.String())
	}
	for _, s := range shape.Path {
		out.CriticalPath = append(out.CriticalPath, PathSegment{ID: spans[s.Span].id.String(), FromMS: milliseconds(s.From - first), ToMS: milliseconds(s.To - first)})
	}
	out.Start, out.DurationMS = time.Unix(0, first).UTC(), milliseconds(last-first)
	out.Services = sortedServices(services)
	return out
}

func sortedServices(services map[string]*ServiceShare) []ServiceShare {
	out := []ServiceShare{}
	for _, name := range slices.Sorted(maps.Keys(services)) {
		out = append(out, *services[name])
	}
	slices.SortStableFunc(out, func(a, b ServiceShare) int { return cmp.Compare(b.SelfMS, a.SelfMS) })
	return out
}

func milliseconds(ns int64) float64 { return float64(ns) / 1e6 }

func spanShape(spans traceSpans, i int, p traceshape.Placed) SpanShape {
	s := SpanShape{
		ID: spans[i].id.String(), Depth: p.Depth,
		SelfMS: milliseconds(p.Self), CriticalMS: milliseconds(p.Critical), SkewMS: milliseconds(p.Skew),
	}
	if p.Parent >= 0 {
		s.ParentID = spans[p.Parent].id.String()
	}
	for _, n := range noteNames {
		if p.Notes&n.note != 0 {
			s.Notes = append(s.Notes, n.name)
		}
	}
	return s
}
