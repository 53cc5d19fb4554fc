package demo

import (
	"encoding/json"
	"fmt"
	"time"
)

// Item is one line of NDJSON as POST /v1/ingest takes it. Fields that do not
// belong to the item's type stay empty and are left out.
type Item struct {
	Type     string  `json:"type"` // request, span or event
	Time     Time    `json:"ts"`
	Service  string  `json:"service"`
	Env      string  `json:"env,omitempty"`
	Release  string  `json:"release,omitempty"`
	Name     string  `json:"name,omitempty"`
	Kind     string  `json:"kind,omitempty"`
	Method   string  `json:"method,omitempty"`
	Route    string  `json:"route,omitempty"`
	Path     string  `json:"path,omitempty"`
	Status   any     `json:"status,omitempty"` // int for requests, string for spans
	Duration float64 `json:"duration_ms,omitempty"`

	RequestID    string `json:"request_id,omitempty"`
	TraceID      string `json:"trace_id,omitempty"`
	SpanID       string `json:"span_id,omitempty"`
	ParentSpanID string `json:"parent_span_id,omitempty"`

	Severity string `json:"severity,omitempty"`
	Message  string `json:"message,omitempty"`

	UserAgent       string            `json:"user_agent,omitempty"`
	ClientIP        string            `json:"client_ip,omitempty"`
	RequestBytes    int               `json:"request_bytes,omitempty"`
	ResponseBytes   int               `json:"response_bytes,omitempty"`
	RequestHeaders  map[string]string `json:"request_headers,omitempty"`
	ResponseHeaders map[string]string `json:"response_headers,omitempty"`
	RequestBody     string            `json:"request_body,omitempty"`
	ResponseBody    string            `json:"response_body,omitempty"`

	Attributes  map[string]any    `json:"attributes,omitempty"`
	Correlation map[string]string `json:"correlation,omitempty"`
	Error       *Error            `json:"error,omitempty"`
}

// Error is what a failed request carries.
type Error struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
}

// timeLayout has a fixed width, so that a prepared body can be given new times
// in place.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// Time is a point in time, written as RFC 3339 in UTC with microseconds.
type Time struct{ time.Time }

// MarshalJSON writes the time in timeLayout.
func (t Time) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(timeLayout)+2)
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, timeLayout)
	return append(b, '"'), nil
}

// AppendLine appends the item as one line of NDJSON, its end included.
func (i *Item) AppendLine(b []byte) ([]byte, error) {
	line, err := json.Marshal(i)
	if err != nil {
		return b, fmt.Errorf("%s item of %s: %w", i.Type, i.Service, err)
	}
	return append(append(b, line...), '\n'), nil
}
