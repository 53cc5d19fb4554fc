package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/trackwayhq/trackway/tests/senders/spanfile"
)

// fileWriter is a span processor that writes every ended span to a file, at
// once and in the caller's goroutine, so that nothing a kill could lose is
// ever missing from it.
type fileWriter struct {
	mu   sync.Mutex
	file *os.File
}

func newFileWriter(path string) (*fileWriter, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &fileWriter{file: f}, nil
}

func (w *fileWriter) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

func (w *fileWriter) OnEnd(s sdktrace.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	line, err := json.Marshal(noted(s))
	if err != nil {
		panic(err) // a span that cannot be noted would make the test pass wrongly
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.file.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

func (w *fileWriter) Shutdown(context.Context) error   { return w.file.Close() }
func (w *fileWriter) ForceFlush(context.Context) error { return w.file.Sync() }

func noted(s sdktrace.ReadOnlySpan) spanfile.Span {
	out := spanfile.Span{
		TraceID:       s.SpanContext().TraceID().String(),
		SpanID:        s.SpanContext().SpanID().String(),
		TraceState:    s.SpanContext().TraceState().String(),
		Name:          s.Name(),
		Kind:          strings.ToLower(s.SpanKind().String()),
		StartNS:       s.StartTime().UnixNano(),
		EndNS:         s.EndTime().UnixNano(),
		Status:        strings.ToLower(s.Status().Code.String()),
		StatusMessage: s.Status().Description,
		Attributes:    attributes(s.Attributes()),
		Resource:      attributes(s.Resource().Attributes()),
		ScopeName:     s.InstrumentationScope().Name,
		ScopeVersion:  s.InstrumentationScope().Version,
	}
	if s.Parent().HasSpanID() {
		out.ParentSpanID = s.Parent().SpanID().String()
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, spanfile.Event{
			Name: e.Name, TimeNS: e.Time.UnixNano(), Attributes: attributes(e.Attributes),
		})
	}
	for _, l := range s.Links() {
		out.Links = append(out.Links, spanfile.Link{
			TraceID:    l.SpanContext.TraceID().String(),
			SpanID:     l.SpanContext.SpanID().String(),
			Attributes: attributes(l.Attributes),
		})
	}
	return out
}

func attributes(kvs []attribute.KeyValue) spanfile.Attributes {
	out := make(spanfile.Attributes, len(kvs))
	for _, kv := range kvs {
		out[string(kv.Key)] = kv.Value.AsInterface()
	}
	return out
}
