package senders_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/tests/senders/spanfile"
)

// isRequest says which table a span belongs to (contracts, "Records"): a SERVER
// span with HTTP or RPC attributes, or a CONSUMER span, is a request.
func isRequest(s spanfile.Span) bool {
	has := func(keys ...string) bool {
		for _, k := range keys {
			if _, ok := s.Attributes[k]; ok {
				return true
			}
		}
		return false
	}
	switch s.Kind {
	case "server":
		return has("http.request.method", "http.method", "rpc.system", "rpc.system.name")
	case "consumer":
		return true
	}
	return false
}

// compareSpan checks one stored record against what the SDK recorded.
func compareSpan(t *testing.T, want spanfile.Span, got record.JSON) {
	t.Helper()
	name := fmt.Sprintf("%s %q (span %s)", want.Kind, want.Name, want.SpanID)

	assert.Equal(t, want.TraceID, got.TraceID, "trace id of %s", name)
	assert.Equal(t, want.SpanID, got.SpanID, "span id of %s", name)
	assert.Equal(t, want.ParentSpanID, got.ParentSpanID, "parent of %s", name)
	assert.Equal(t, want.TraceState, got.TraceState, "trace state of %s", name)
	assert.Equal(t, want.Start().Format(time.RFC3339Nano), got.Time, "start of %s", name)
	assert.Equal(t, want.Duration(), got.Duration, "duration of %s", name)
	assert.InDelta(t, float64(want.Duration())/1e6, got.DurationMS, 1e-3, "duration_ms of %s", name)
	assert.Equal(t, want.Status, got.SpanStatus, "span status of %s", name)
	assert.Equal(t, want.ScopeName, got.ScopeName, "scope of %s", name)
	assert.Equal(t, want.ScopeVersion, got.ScopeVersion, "scope version of %s", name)
	assert.Equal(t, "default", got.Project, "project of %s", name)

	if isRequest(want) {
		assert.Equal(t, "request", got.Type, "type of %s", name)
		assert.Equal(t, requestKind(want), got.Kind, "kind of %s", name)
	} else {
		assert.Equal(t, "span", got.Type, "type of %s", name)
		assert.Equal(t, want.Kind, got.Kind, "kind of %s", name)
		assert.Equal(t, want.Name, got.Name, "name of %s", name)
	}
	compareAttributes(t, name, want.Attributes, got.Attributes)
	compareAttributes(t, name+" resource", want.Resource, got.Resource)
	compareLinks(t, name, want.Links, got.Links)
}

func requestKind(s spanfile.Span) string {
	switch {
	case s.Kind == "consumer":
		return "messaging"
	case s.Attributes["rpc.system"] != nil:
		return "rpc"
	}
	return "http"
}

// compareAttributes wants the attributes of the SDK in pdata's string form, every
// one and none besides, wherever they are stored.
func compareAttributes(t *testing.T, name string, sent spanfile.Attributes, got map[string]string) {
	t.Helper()
	want, err := sent.Strings()
	require.NoError(t, err)
	if len(want) == 0 {
		assert.Empty(t, got, "attributes of %s", name)
		return
	}
	assert.Equal(t, want, got, "attributes of %s", name)
}

func compareLinks(t *testing.T, name string, want []spanfile.Link, got json.RawMessage) {
	t.Helper()
	var links []struct {
		TraceID    string            `json:"trace_id"`
		SpanID     string            `json:"span_id"`
		Attributes map[string]string `json:"attributes"`
	}
	if len(got) > 0 {
		require.NoErrorf(t, json.Unmarshal(got, &links), "links of %s: %s", name, got)
	}
	if !assert.Lenf(t, links, len(want), "links of %s", name) {
		return
	}
	for i, link := range want {
		assert.Equal(t, link.TraceID, links[i].TraceID, "link's trace of %s", name)
		assert.Equal(t, link.SpanID, links[i].SpanID, "link's span of %s", name)
		attributes, err := link.Attributes.Strings()
		require.NoError(t, err)
		if len(attributes) > 0 {
			assert.Equal(t, attributes, links[i].Attributes, "link's attributes of %s", name)
		}
	}
}

// compareEvents checks the events of one span: each is a record of its own, in
// the span's trace, with the event's time, name and attributes.
func compareEvents(t *testing.T, want spanfile.Span, got []record.JSON) {
	t.Helper()
	for _, event := range want.Events {
		ts := time.Unix(0, event.TimeNS).UTC().Format(time.RFC3339Nano)
		var found *record.JSON
		for i := range got {
			if got[i].SpanID == want.SpanID && got[i].Name == event.Name && got[i].Time == ts {
				found = &got[i]
			}
		}
		if !assert.NotNilf(t, found, "event %q at %s of span %s (%s) is not stored", event.Name, ts, want.SpanID, want.Name) {
			continue
		}
		assert.Equal(t, want.TraceID, found.TraceID)
		compareAttributes(t, fmt.Sprintf("event %q of %s", event.Name, want.Name), event.Attributes, found.Attributes)
	}
}
