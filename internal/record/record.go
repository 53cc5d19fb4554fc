package record

import "time"

// Kind says which table a record belongs to.
type Kind uint8

// The three kinds of records.
const (
	Request Kind = iota + 1
	Span
	Event
)

// String is the word used in the API, in NDJSON and in the journey's kind column.
func (k Kind) String() string {
	switch k {
	case Request:
		return "request"
	case Span:
		return "span"
	case Event:
		return "event"
	}
	return "unknown"
}

// Record is one row of requests, spans or events. Fields a kind does not have
// stay at their zero value. Field meanings and units are those of the column of
// the same name; durations are nanoseconds, times UTC.
type Record struct {
	Kind    Kind
	Project string
	Time    time.Time
	RID     uint64

	Service  string
	Env      string
	Release  string
	Instance string

	// Name is the span's or event's name. A request has its span's beside its
	// route, since the two need not agree.
	Name string
	// SpanKind is a request's kind (http, rpc, messaging, faas, job) or a span's
	// (internal, server, client, producer, consumer).
	SpanKind string

	Method     string
	Route      string
	Path       string
	Status     uint16
	SpanStatus string // unset, ok, error

	Duration uint64 // nanoseconds

	TraceID      [16]byte
	SpanID       [8]byte
	ParentSpanID [8]byte
	TraceState   string
	Flags        uint32

	RequestID     string
	UserAgent     string
	ClientIP      string
	RequestBytes  uint64
	ResponseBytes uint64

	Severity uint8 // events: OpenTelemetry severity number, 0 when not given
	Message  string

	ErrorType    string
	ErrorMessage string
	ErrorStack   string
	ErrorGroup   uint64

	Attributes      Pairs
	Resource        Pairs
	Correlation     Pairs
	RequestHeaders  Pairs
	ResponseHeaders Pairs
	RequestBody     string
	ResponseBody    string

	FacetItems   []string // key=value of bounded attribute keys
	ScopeName    string
	ScopeVersion string
	Links        string // JSON array of {trace_id, span_id, attributes}
	Marks        string // comma-separated: clamped, truncated, ts_absent, redacted:n

	Weight  uint32 // in 1/256 units; 256 is one request
	TTLDays uint16
	Unit    uint64
}

// ID is the record's identity in the API.
func (r *Record) ID() ID { return ID{Time: r.Time, RID: r.RID} }
