package reference

import (
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// One request in spansEvery has spansEach spans, one in eventsEvery an event.
const (
	spansEvery  = 10
	spansEach   = 3
	eventsEvery = 20
)

// HasSpans says whether request i of Main has spans in its trace.
func HasSpans(i int64) bool { return i%spansEvery == 3 }

// Related gives the spans and the event of request i, which is r, to yield. The
// record is used again.
func (g *Records) Related(i int64, r *record.Record, yield func(*record.Record)) {
	if !HasSpans(i) {
		return
	}
	g.seed(relatedStream, i)
	parent := r.SpanID
	left := r.Duration
	for n := range spansEach {
		s := g.span(r, parent)
		s.Duration = left / 10 * uint64(3+g.r.IntN(6))
		s.Time = r.Time.Add(time.Duration(r.Duration-s.Duration) / 3)
		left = s.Duration
		if n == spansEach-1 && r.Status >= 500 {
			s.SpanStatus, s.ErrorType, s.ErrorMessage, s.ErrorGroup = "error", r.ErrorType, r.ErrorMessage, r.ErrorGroup
		}
		parent = s.SpanID
		yield(&s)
	}
	if i%eventsEvery == 3 {
		e := g.event(r)
		yield(&e)
	}
}

// span draws a span of a request's trace.
func (g *Records) span(r *record.Record, parent [8]byte) record.Record {
	n := g.r.IntN(len(spanNames))
	s := record.Record{
		Kind: record.Span, Project: r.Project, Time: r.Time, RID: g.r.Uint64(), Service: r.Service, Env: r.Env, Release: r.Release, Instance: r.Instance,
		Name: spanNames[n], SpanKind: spanKinds[n], SpanStatus: "unset", TraceID: r.TraceID, ParentSpanID: parent,
		Attributes: record.Pairs{{Key: "peer", Value: "db-1"}}, FacetItems: []string{"peer=db-1"},
		Resource: r.Resource, Correlation: r.Correlation[1:2], Weight: 256, TTLDays: ttlDays,
	}
	fill(g.r, s.SpanID[:])
	return s
}

// event draws an event of a request's trace.
func (g *Records) event(r *record.Record) record.Record {
	name := eventNames[g.r.IntN(len(eventNames))]
	return record.Record{
		Kind: record.Event, Project: r.Project, Time: r.Time.Add(time.Duration(r.Duration) / 2), RID: g.r.Uint64(),
		Service: r.Service, Env: r.Env, Release: r.Release, Instance: r.Instance, Name: name, Severity: 9, Message: name + " in " + r.Route,
		TraceID: r.TraceID, SpanID: r.SpanID, Resource: r.Resource, Correlation: r.Correlation, Weight: 256, TTLDays: ttlDays,
	}
}

// BigTrace is the id of the trace with BigTraceSpans spans.
func (g *Records) BigTrace() [16]byte {
	g.seed(bigStream, -1)
	var id [16]byte
	fill(g.r, id[:])
	return id
}

// bigTraceLength is how long the big trace takes.
const bigTraceLength = 8 * time.Minute

// BigSpan makes span i of the big trace: a tree of eight branches everywhere.
func (g *Records) BigSpan(i int64) record.Record {
	id := func(n int64) (id [8]byte) {
		g.seed(bigStream, n)
		fill(g.r, id[:])
		return id
	}
	var parent [8]byte
	if i > 0 {
		parent = id((i - 1) / 8)
	}
	own := id(i)
	root := record.Record{
		Project: Main, Service: services[int(i)%len(services)], Env: "prod", Instance: "batch-0",
		TraceID: g.BigTrace(), Resource: record.Pairs{{Key: "telemetry.sdk.language", Value: "go"}},
		Correlation: record.Pairs{{Key: "account_id", Value: "acc_108"}, {Key: "job_id", Value: "nightly"}},
	}
	start := g.spec.Start().Add(g.spec.End.Sub(g.spec.Start()) * 2 / 3)
	g.seed(bigStream, i+1<<40)
	s := g.span(&root, parent)
	s.SpanID = own
	spans := g.spec.BigTraceSpans()
	s.Time = start.Add(bigTraceLength / time.Duration(spans) * time.Duration(i))
	s.Release = release(int(i)%len(services), s.Time)
	s.Duration = uint64(bigTraceLength) / uint64(i+1)
	return s
}
