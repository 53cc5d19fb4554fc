package adopt

import (
	"encoding/json"
	"fmt"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// logRow is a row of otel_logs as logsColumns selects it.
type logRow struct {
	TimestampNS        int64
	TraceID            string `json:"TraceId"`
	SpanID             string `json:"SpanId"`
	TraceFlags         uint32
	SeverityText       string
	SeverityNumber     int32
	ServiceName        string
	Body               string
	ResourceSchemaURL  string `json:"ResourceSchemaUrl"`
	ResourceAttributes attributes
	ScopeSchemaURL     string `json:"ScopeSchemaUrl"`
	ScopeName          string
	ScopeVersion       string
	ScopeAttributes    attributes
	LogAttributes      attributes
	EventName          string
}

var logsColumns = []column{
	{"TimestampNS", "toUnixTimestamp64Nano(Timestamp)", "Timestamp"}, {"TraceId", "TraceId", "TraceId"}, {"SpanId", "SpanId", "SpanId"},
	{"TraceFlags", "TraceFlags", "TraceFlags"}, {"SeverityText", "SeverityText", "SeverityText"}, {"SeverityNumber", "SeverityNumber", "SeverityNumber"},
	{"ServiceName", "ServiceName", "ServiceName"}, {"Body", "Body", "Body"},
	{"ResourceSchemaUrl", "ResourceSchemaUrl", "ResourceSchemaUrl"}, {"ResourceAttributes", "ResourceAttributes", "ResourceAttributes"},
	{"ScopeSchemaUrl", "ScopeSchemaUrl", "ScopeSchemaUrl"}, {"ScopeName", "ScopeName", "ScopeName"}, {"ScopeVersion", "ScopeVersion", "ScopeVersion"},
	{"ScopeAttributes", "ScopeAttributes", "ScopeAttributes"}, {"LogAttributes", "LogAttributes", "LogAttributes"}, {"EventName", "EventName", "EventName"},
}

// encodeLogs makes an OTLP request of rows of otel_logs.
func encodeLogs(lines [][]byte) (body []byte, err error) {
	ld := plog.NewLogs()
	scopes := map[string]plog.ScopeLogs{}
	for _, line := range lines {
		var r logRow
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("row of otel_logs: %w", err)
		}
		at := group(r.ServiceName, r.ResourceSchemaURL, r.ResourceAttributes, r.ScopeSchemaURL, r.ScopeName, r.ScopeVersion, r.ScopeAttributes)
		sl, ok := scopes[at]
		if !ok {
			rl := ld.ResourceLogs().AppendEmpty()
			rl.SetSchemaUrl(r.ResourceSchemaURL)
			resource := rl.Resource().Attributes()
			r.ResourceAttributes.copyTo(resource)
			if _, named := resource.Get("service.name"); !named && r.ServiceName != "" {
				resource.PutStr("service.name", r.ServiceName)
			}
			sl = rl.ScopeLogs().AppendEmpty()
			sl.SetSchemaUrl(r.ScopeSchemaURL)
			sl.Scope().SetName(r.ScopeName)
			sl.Scope().SetVersion(r.ScopeVersion)
			r.ScopeAttributes.copyTo(sl.Scope().Attributes())
			scopes[at] = sl
		}
		r.copyTo(sl.LogRecords().AppendEmpty())
	}
	return plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
}

func (r *logRow) copyTo(l plog.LogRecord) {
	l.SetTimestamp(nanos(r.TimestampNS))
	l.SetTraceID(traceID(r.TraceID))
	l.SetSpanID(spanID(r.SpanID))
	l.SetFlags(plog.LogRecordFlags(r.TraceFlags))
	l.SetSeverityText(r.SeverityText)
	l.SetSeverityNumber(plog.SeverityNumber(r.SeverityNumber))
	l.SetEventName(r.EventName)
	l.Body().SetStr(r.Body)
	r.LogAttributes.copyTo(l.Attributes())
}
