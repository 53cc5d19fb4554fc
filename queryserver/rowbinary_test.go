package queryserver

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/trackwayhq/trackway/internal/record"
)

func writeText(b *bytes.Buffer, v string) {
	b.Write(binary.AppendUvarint(nil, uint64(len(v))))
	b.WriteString(v)
}

func writePairs(b *bytes.Buffer, p record.Pairs) {
	b.Write(binary.AppendUvarint(nil, uint64(len(p))))
	for _, kv := range p {
		writeText(b, kv.Key)
		writeText(b, kv.Value)
	}
}

func writeColumn(t testing.TB, b *bytes.Buffer, name string, r *record.Record) {
	t.Helper()
	texts := map[string]string{
		"service": r.Service, "env": r.Env, "release": r.Release, "instance": r.Instance, "name": r.Name, "kind": r.SpanKind,
		"method": r.Method, "route": r.Route, "path": r.Path, "span_status": r.SpanStatus, "trace_state": r.TraceState,
		"request_id": r.RequestID, "user_agent": r.UserAgent, "client_ip": r.ClientIP, "message": r.Message,
		"error_type": r.ErrorType, "error_message": r.ErrorMessage, "error_stack": r.ErrorStack,
		"request_body": r.RequestBody, "response_body": r.ResponseBody, "scope_name": r.ScopeName,
		"scope_version": r.ScopeVersion, "links": r.Links, "marks": r.Marks,
	}
	fixed := map[string]any{
		"ts": r.Time.UnixNano(), "rid": r.RID, "status": r.Status, "duration": r.Duration, "trace_id": r.TraceID, "span_id": r.SpanID,
		"parent_span_id": r.ParentSpanID, "flags": r.Flags, "request_bytes": r.RequestBytes, "response_bytes": r.ResponseBytes,
		"severity": r.Severity, "error_group": r.ErrorGroup, "weight": max(r.Weight, 256),
	}
	pairs := map[string]record.Pairs{
		"attributes": r.Attributes, "resource": r.Resource, "correlation": r.Correlation,
		"request_headers": r.RequestHeaders, "response_headers": r.ResponseHeaders,
	}
	if v, ok := texts[name]; ok {
		writeText(b, v)
	} else if v, ok := fixed[name]; ok {
		_ = binary.Write(b, binary.LittleEndian, v)
	} else if v, ok := pairs[name]; ok {
		writePairs(b, v)
	} else {
		t.Fatalf("the test does not know column %s", name)
	}
}
