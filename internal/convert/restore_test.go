package convert

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Whatever columns hold, the API's form has the attributes that were sent, no
// more and no less, under their current names.
func TestJSONRestoresAttributes(t *testing.T) {
	const server, client, consumer = ptrace.SpanKindServer, ptrace.SpanKindClient, ptrace.SpanKindConsumer
	for name, tt := range map[string]struct {
		kind  ptrace.SpanKind
		sent  map[string]any
		other map[string]string // what differs, by key; "" is gone
	}{
		"every column": {kind: server, sent: map[string]any{
			"http.request.method": "GET", "http.route": "/a/:id", "url.path": "/a/7", "http.response.status_code": 500,
			"user_agent.original": "curl", "client.address": "10.0.0.1", "http.request.body.size": 1, "http.response.body.size": 2,
			"error.type": "500", "plan": "pro",
		}},
		"a span has fewer": {kind: client, sent: map[string]any{
			"http.request.method": "GET", "http.route": "/a", "url.full": "http://a/b", "http.response.status_code": 200, "error.type": "x",
		}},
		"former names": {kind: server, sent: map[string]any{"http.method": "GET", "http.status_code": 200, "http.target": "/a?b=1"}, other: map[string]string{
			"http.method": "", "http.status_code": "", "http.target": "", "http.request.method": "GET",
			"http.response.status_code": "200", "url.path": "/a", "url.query": "b=1",
		}},
		"names that disagree": {kind: server, sent: map[string]any{"http.method": "GET", "http.request.method": "POST", "http.route": "/"}},
		"derived columns":     {kind: server, sent: map[string]any{"http.request.method": "GET", "url.full": "http://a/b/7", "net.peer.ip": "::1"}},
		"source and attribute agree": {kind: server, sent: map[string]any{
			"url.full": "http://a/b", "url.path": "/b", "net.peer.ip": "::1", "client.address": "::1", "http.route": "/b",
		}},
		"route before templating": {kind: server, sent: map[string]any{"http.route": "/a/7"}},
		"nothing to put in a column": {kind: server, sent: map[string]any{
			"http.request.method": "", "url.path": "", "http.response.status_code": 0, "http.request.body.size": 0, "http.response.body.size": "007",
		}},
		"no number":     {kind: server, sent: map[string]any{"http.response.status_code": "teapot", "http.request.body.size": -1}},
		"rpc":           {kind: server, sent: map[string]any{"rpc.system": "grpc", "rpc.method": "Get", "rpc.grpc.status_code": 5}},
		"rpc over http": {kind: server, sent: map[string]any{"rpc.system": "connect_rpc", "http.response.status_code": 404, "http.route": "/x"}},
		"message":       {kind: consumer, sent: map[string]any{"messaging.destination.name": "orders"}},
	} {
		t.Run(name, func(t *testing.T) {
			td, s := testTraces(tt.kind, tt.sent)
			want := map[string]string{}
			for k, v := range s.Attributes().All() {
				want[k] = v.AsString()
			}
			for k, v := range tt.other {
				if v == "" {
					delete(want, k)
				} else {
					want[k] = v
				}
			}
			got := convertTraces(t, td).Records[0]
			assert.Equal(t, want, got.JSON().Attributes)
			for k, v := range want {
				found, ok := got.Attribute(k)
				assert.True(t, ok && found == v, "attribute %s", k)
			}
			assert.Equal(t, map[string]string{"service.name": "api"}, got.JSON().Resource)
		})
	}
}

func TestJSONRestoresResourceAndException(t *testing.T) {
	td, s := testTraces(ptrace.SpanKindInternal, nil)
	resource := map[string]any{
		"service.name": "", "service.version": "1", "service.instance.id": "i", "deployment.environment.name": "prod", "host.name": "h",
	}
	attrs := td.ResourceSpans().At(0).Resource().Attributes()
	sent := maps.Clone(resource)
	sent["trackway.project"] = "default"
	require.NoError(t, attrs.FromRaw(sent))
	e := s.Events().AppendEmpty()
	e.SetName("exception")
	e.SetTimestamp(pcommon.NewTimestampFromTime(now))
	exception := map[string]any{"exception.type": "E", "exception.message": "m", "exception.stacktrace": "at x", "exception.escaped": "false"}
	require.NoError(t, e.Attributes().FromRaw(exception))

	records := convertTraces(t, td).Records
	require.Len(t, records, 2)
	asAny := func(m map[string]string) map[string]any {
		out := map[string]any{}
		for k, v := range m {
			out[k] = v
		}
		return out
	}
	for i := range records {
		assert.Equal(t, resource, asAny(records[i].JSON().Resource))
	}
	assert.Empty(t, records[0].JSON().Attributes, "the exception is the event's, not the span's")
	assert.Equal(t, exception, asAny(records[1].JSON().Attributes))
}
