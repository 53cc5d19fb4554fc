package adopt

import (
	"encoding/json"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// traceRow is a row of otel_traces as tracesColumns selects it.
type traceRow struct {
	TimestampNS        int64
	TraceID            string `json:"TraceId"`
	SpanID             string `json:"SpanId"`
	ParentSpanID       string `json:"ParentSpanId"`
	TraceState         string
	SpanName           string
	SpanKind           string
	ServiceName        string
	ResourceAttributes attributes
	ScopeName          string
	ScopeVersion       string
	SpanAttributes     attributes
	Duration           uint64
	StatusCode         string
	StatusMessage      string
	EventTimesNS       []int64
	EventNames         []string
	EventAttributes    []attributes
	LinkTraceIDs       []string `json:"LinkTraceIds"`
	LinkSpanIDs        []string `json:"LinkSpanIds"`
	LinkTraceStates    []string
	LinkAttributes     []attributes
}

// tracesColumns name what a row is made of: the field of traceRow, and the
// expression that gives it. Times are integers, which JSON cannot round.
var tracesColumns = []column{
	{"TimestampNS", "toUnixTimestamp64Nano(Timestamp)", "Timestamp"}, {"TraceId", "TraceId", "TraceId"}, {"SpanId", "SpanId", "SpanId"},
	{"ParentSpanId", "ParentSpanId", "ParentSpanId"}, {"TraceState", "TraceState", "TraceState"}, {"SpanName", "SpanName", "SpanName"},
	{"SpanKind", "SpanKind", "SpanKind"}, {"ServiceName", "ServiceName", "ServiceName"},
	{"ResourceAttributes", "ResourceAttributes", "ResourceAttributes"},
	{"ScopeName", "ScopeName", "ScopeName"}, {"ScopeVersion", "ScopeVersion", "ScopeVersion"},
	{"SpanAttributes", "SpanAttributes", "SpanAttributes"}, {"Duration", "Duration", "Duration"},
	{"StatusCode", "StatusCode", "StatusCode"}, {"StatusMessage", "StatusMessage", "StatusMessage"},
	{"EventTimesNS", "arrayMap(x -> toUnixTimestamp64Nano(x), Events.Timestamp)", "Events.Timestamp"},
	{"EventNames", "Events.Name", "Events.Name"}, {"EventAttributes", "Events.Attributes", "Events.Attributes"},
	{"LinkTraceIds", "Links.TraceId", "Links.TraceId"}, {"LinkSpanIds", "Links.SpanId", "Links.SpanId"},
	{"LinkTraceStates", "Links.TraceState", "Links.TraceState"}, {"LinkAttributes", "Links.Attributes", "Links.Attributes"},
}

// encodeTraces makes an OTLP request of rows of otel_traces.
func encodeTraces(lines [][]byte) (body []byte, err error) {
	td := ptrace.NewTraces()
	scopes := map[string]ptrace.ScopeSpans{}
	for _, line := range lines {
		var r traceRow
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("row of otel_traces: %w", err)
		}
		at := group(r.ServiceName, r.ResourceAttributes, r.ScopeName, r.ScopeVersion)
		ss, ok := scopes[at]
		if !ok {
			rs := td.ResourceSpans().AppendEmpty()
			resource := rs.Resource().Attributes()
			r.ResourceAttributes.copyTo(resource)
			if _, named := resource.Get("service.name"); !named && r.ServiceName != "" {
				resource.PutStr("service.name", r.ServiceName)
			}
			ss = rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName(r.ScopeName)
			ss.Scope().SetVersion(r.ScopeVersion)
			scopes[at] = ss
		}
		if err := r.copyTo(ss.Spans().AppendEmpty()); err != nil {
			return nil, err
		}
	}
	return ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
}

var spanKinds = map[string]ptrace.SpanKind{
	"Internal": ptrace.SpanKindInternal, "Server": ptrace.SpanKindServer, "Client": ptrace.SpanKindClient,
	"Producer": ptrace.SpanKindProducer, "Consumer": ptrace.SpanKindConsumer,
	// As releases of the upstream exporter before 0.90 wrote them.
	"SPAN_KIND_INTERNAL": ptrace.SpanKindInternal, "SPAN_KIND_SERVER": ptrace.SpanKindServer, "SPAN_KIND_CLIENT": ptrace.SpanKindClient,
	"SPAN_KIND_PRODUCER": ptrace.SpanKindProducer, "SPAN_KIND_CONSUMER": ptrace.SpanKindConsumer,
}

var statusCodes = map[string]ptrace.StatusCode{
	"Ok": ptrace.StatusCodeOk, "Error": ptrace.StatusCodeError,
	"STATUS_CODE_OK": ptrace.StatusCodeOk, "STATUS_CODE_ERROR": ptrace.StatusCodeError,
}

func (r *traceRow) copyTo(s ptrace.Span) error {
	if n := len(r.EventTimesNS); len(r.EventNames) != n || len(r.EventAttributes) != n {
		return fmt.Errorf("span %s: its events have %d times, %d names and %d attributes", r.SpanID, n, len(r.EventNames), len(r.EventAttributes))
	}
	if n := len(r.LinkTraceIDs); len(r.LinkSpanIDs) != n || len(r.LinkTraceStates) != n || len(r.LinkAttributes) != n {
		return fmt.Errorf("span %s: its links have columns of different lengths", r.SpanID)
	}
	s.SetTraceID(traceID(r.TraceID))
	s.SetSpanID(spanID(r.SpanID))
	s.SetParentSpanID(spanID(r.ParentSpanID))
	s.TraceState().FromRaw(r.TraceState)
	s.SetName(r.SpanName)
	s.SetKind(spanKinds[r.SpanKind])
	s.SetStartTimestamp(nanos(r.TimestampNS))
	s.SetEndTimestamp(nanos(r.TimestampNS) + pcommon.Timestamp(r.Duration))
	s.Status().SetCode(statusCodes[r.StatusCode])
	s.Status().SetMessage(r.StatusMessage)
	r.SpanAttributes.copyTo(s.Attributes())
	for i, at := range r.EventTimesNS {
		e := s.Events().AppendEmpty()
		e.SetTimestamp(nanos(at))
		e.SetName(r.EventNames[i])
		r.EventAttributes[i].copyTo(e.Attributes())
	}
	for i, id := range r.LinkTraceIDs {
		l := s.Links().AppendEmpty()
		l.SetTraceID(traceID(id))
		l.SetSpanID(spanID(r.LinkSpanIDs[i]))
		l.TraceState().FromRaw(r.LinkTraceStates[i])
		r.LinkAttributes[i].copyTo(l.Attributes())
	}
	return nil
}
