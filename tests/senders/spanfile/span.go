package spanfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Attributes are the attributes as the SDK held them: string, bool,
// json.Number, or a slice of these.
type Attributes map[string]any

// Span is one recorded span. Ids are lower-case hex and empty where absent.
type Span struct {
	TraceID       string     `json:"trace_id"`
	SpanID        string     `json:"span_id"`
	ParentSpanID  string     `json:"parent_span_id,omitempty"`
	TraceState    string     `json:"trace_state,omitempty"`
	Name          string     `json:"name"`
	Kind          string     `json:"kind"` // internal, server, client, producer, consumer
	StartNS       int64      `json:"start_ns,string"`
	EndNS         int64      `json:"end_ns,string"`
	Status        string     `json:"status"` // unset, ok, error
	StatusMessage string     `json:"status_message,omitempty"`
	Attributes    Attributes `json:"attributes"`
	Events        []Event    `json:"events,omitempty"`
	Links         []Link     `json:"links,omitempty"`
	Resource      Attributes `json:"resource"`
	ScopeName     string     `json:"scope_name"`
	ScopeVersion  string     `json:"scope_version,omitempty"`
}

// Event is one event of a span.
type Event struct {
	Name       string     `json:"name"`
	TimeNS     int64      `json:"time_ns,string"`
	Attributes Attributes `json:"attributes"`
}

// Link is one link of a span.
type Link struct {
	TraceID    string     `json:"trace_id"`
	SpanID     string     `json:"span_id"`
	Attributes Attributes `json:"attributes"`
}

// Start is the span's start in UTC.
func (s Span) Start() time.Time { return time.Unix(0, s.StartNS).UTC() }

// Duration is the span's duration in nanoseconds.
func (s Span) Duration() uint64 { return uint64(s.EndNS - s.StartNS) }

// Read gives the spans of the file at path, in the order they ended.
func Read(path string) ([]Span, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("span file: %w", err)
	}
	var spans []Span
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.UseNumber() // keeps 64-bit integers exact
		var s Span
		if err := dec.Decode(&s); err != nil {
			return nil, fmt.Errorf("span file %s, line %d: %w", path, n, err)
		}
		spans = append(spans, s)
	}
	return spans, lines.Err()
}

// Strings gives every attribute in pdata's string form, the form in which the
// store keeps map values. It goes through pcommon.Value itself.
func (a Attributes) Strings() (map[string]string, error) {
	out := make(map[string]string, len(a))
	for k, v := range a {
		s, err := asString(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", k, err)
		}
		out[k] = s
	}
	return out, nil
}

func asString(v any) (string, error) {
	raw, err := pdataRaw(v)
	if err != nil {
		return "", err
	}
	value := pcommon.NewValueEmpty()
	if err := value.FromRaw(raw); err != nil {
		return "", err
	}
	return value.AsString(), nil
}

// pdataRaw turns JSON numbers into int64 or float64, as an OTLP exporter does:
// a number without fraction and exponent travels as intValue.
func pdataRaw(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			return v.Int64()
		}
		return v.Float64()
	case []any:
		out := make([]any, len(v))
		for i := range v {
			item, err := pdataRaw(v[i])
			if err != nil {
				return nil, err
			}
			out[i] = item
		}
		return out, nil
	}
	return v, nil
}
