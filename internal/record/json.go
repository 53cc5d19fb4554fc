package record

import (
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// JSON is the form of a record in the API and in the live tail. Keys are the
// names of the columns; empty fields are left out, except those every reader
// relies on. Ids are lower-case hex. An attribute that lives in a column is in its
// field and in the map it was sent in: see Promotion.
type JSON struct {
	ID      string `json:"id" doc:"hex(ts in ns) + hex(row id), 32 hex digits"`
	Type    string `json:"type" enum:"request,span,event"`
	Time    string `json:"ts" format:"date-time" doc:"RFC 3339 with nanoseconds, UTC"`
	Project string `json:"project"`
	Service string `json:"service"`

	Env      string `json:"env,omitempty"`
	Release  string `json:"release,omitempty"`
	Instance string `json:"instance,omitempty"`
	Name     string `json:"name,omitempty"`
	Kind     string `json:"kind,omitempty" doc:"requests: http, rpc, messaging, faas, job; spans: internal, server, client, producer, consumer"`

	Method     string  `json:"method,omitempty"`
	Route      string  `json:"route,omitempty"`
	Path       string  `json:"path,omitempty"`
	Status     uint16  `json:"status,omitempty"`
	SpanStatus string  `json:"span_status,omitempty" doc:"unset, ok or error"`
	Duration   uint64  `json:"duration,omitempty" doc:"nanoseconds"`
	DurationMS float64 `json:"duration_ms,omitempty"`

	TraceID      string `json:"trace_id,omitempty"`
	SpanID       string `json:"span_id,omitempty"`
	ParentSpanID string `json:"parent_span_id,omitempty"`
	TraceState   string `json:"trace_state,omitempty"`
	Flags        uint32 `json:"flags,omitempty"`

	RequestID     string `json:"request_id,omitempty"`
	UserAgent     string `json:"user_agent,omitempty"`
	ClientIP      string `json:"client_ip,omitempty"`
	RequestBytes  uint64 `json:"request_bytes,omitempty"`
	ResponseBytes uint64 `json:"response_bytes,omitempty"`

	Severity uint8  `json:"severity,omitempty" doc:"OpenTelemetry severity number"`
	Message  string `json:"message,omitempty"`

	ErrorType    string `json:"error_type,omitempty"`
	ErrorMessage string `json:"error_message,omitempty"`
	ErrorStack   string `json:"error_stack,omitempty"`
	ErrorGroup   string `json:"error_group,omitempty" doc:"16 hex digits"`

	Attributes      map[string]string `json:"attributes,omitempty" doc:"Attributes as they were sent, those included that have a field of their own; under current names of the semantic conventions."`
	Resource        map[string]string `json:"resource,omitempty"`
	Correlation     map[string]string `json:"correlation,omitempty"`
	RequestHeaders  map[string]string `json:"request_headers,omitempty"`
	ResponseHeaders map[string]string `json:"response_headers,omitempty"`
	RequestBody     string            `json:"request_body,omitempty"`
	ResponseBody    string            `json:"response_body,omitempty"`

	ScopeName    string          `json:"scope_name,omitempty"`
	ScopeVersion string          `json:"scope_version,omitempty"`
	Links        json.RawMessage `json:"links,omitempty" doc:"array of {trace_id, span_id, attributes}"`
	Marks        []string        `json:"marks,omitempty" doc:"clamped, truncated, ts_absent, route_derived, redacted:n …"`
	Weight       float64         `json:"weight,omitempty" doc:"requests this record stands for; left out when 1"`
}

// JSON gives the record's form in the API.
func (r *Record) JSON() JSON {
	j := JSON{
		ID:              r.ID().String(),
		Type:            r.Kind.String(),
		Time:            r.Time.UTC().Format(time.RFC3339Nano),
		Project:         r.Project,
		Service:         r.Service,
		Env:             r.Env,
		Release:         r.Release,
		Instance:        r.Instance,
		Name:            r.Name,
		Kind:            r.SpanKind,
		Method:          r.Method,
		Route:           r.Route,
		Path:            r.Path,
		Status:          r.Status,
		SpanStatus:      r.SpanStatus,
		Duration:        r.Duration,
		DurationMS:      float64(r.Duration) / 1e6,
		TraceID:         hexOrEmpty(r.TraceID[:]),
		SpanID:          hexOrEmpty(r.SpanID[:]),
		ParentSpanID:    hexOrEmpty(r.ParentSpanID[:]),
		TraceState:      r.TraceState,
		Flags:           r.Flags,
		RequestID:       r.RequestID,
		UserAgent:       r.UserAgent,
		ClientIP:        r.ClientIP,
		RequestBytes:    r.RequestBytes,
		ResponseBytes:   r.ResponseBytes,
		Severity:        r.Severity,
		Message:         r.Message,
		ErrorType:       r.ErrorType,
		ErrorMessage:    r.ErrorMessage,
		ErrorStack:      r.ErrorStack,
		Attributes:      r.restored(r.Attributes, false),
		Resource:        r.restored(r.Resource, true),
		Correlation:     r.Correlation.Map(),
		RequestHeaders:  r.RequestHeaders.Map(),
		ResponseHeaders: r.ResponseHeaders.Map(),
		RequestBody:     r.RequestBody,
		ResponseBody:    r.ResponseBody,
		ScopeName:       r.ScopeName,
		ScopeVersion:    r.ScopeVersion,
	}
	if r.ErrorGroup != 0 {
		s := strconv.FormatUint(r.ErrorGroup, 16)
		j.ErrorGroup = strings.Repeat("0", 16-len(s)) + s
	}
	if r.Links != "" {
		j.Links = json.RawMessage(r.Links)
	}
	if r.Marks != "" {
		j.Marks = strings.Split(r.Marks, ",")
	}
	if r.Weight != 0 && r.Weight != 256 {
		j.Weight = float64(r.Weight) / 256
	}
	return j
}

// fieldOf finds fields of the JSON form by their keys.
var fieldOf = func() map[string]int {
	m := map[string]int{}
	t := reflect.TypeFor[JSON]()
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		m[key] = i
	}
	return m
}()

// Clear empties fields, named by their keys. It panics where there is no such key.
func (j *JSON) Clear(keys ...string) {
	v := reflect.ValueOf(j).Elem()
	for _, key := range keys {
		i, ok := fieldOf[key]
		if !ok {
			panic("record: the JSON form has no key " + key)
		}
		v.Field(i).SetZero()
	}
}

func hexOrEmpty(id []byte) string {
	for _, b := range id {
		if b != 0 {
			return hex.EncodeToString(id)
		}
	}
	return ""
}
