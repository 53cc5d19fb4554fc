package conventions

import "strings"

// Attributes of our own.
const (
	// Project is the resource attribute that says whose data it is. Only the
	// project processor decides it: what a sender writes there is overwritten.
	Project = "trackway.project"
	// RequestID is the sender's own id of a request. It may repeat.
	RequestID = "trackway.request.id"
	// RequestBody and ResponseBody carry captured bodies as strings.
	RequestBody  = "trackway.request.body"
	ResponseBody = "trackway.response.body"
	// RequestKind marks a span as a request whatever other attributes it has
	// and gives its kind: one of the Kind constants.
	RequestKind = "trackway.request.kind"
	// Marks is a comma-separated list of what was done to a record on its way,
	// on spans and log records: the Mark constants.
	Marks = "trackway.marks"

	// CorrelationPrefix begins the attributes that name what the business knows:
	// correlation.user_id, correlation.order_id …
	CorrelationPrefix = "correlation."
	// RequestHeaderPrefix and ResponseHeaderPrefix are the prefixes of the
	// semantic conventions; header names follow in lower case.
	RequestHeaderPrefix  = "http.request.header."
	ResponseHeaderPrefix = "http.response.header."
)

// Kinds of requests.
const (
	KindHTTP      = "http"
	KindRPC       = "rpc"
	KindMessaging = "messaging"
	KindFaaS      = "faas"
	KindJob       = "job"
)

// Marks. MarkRedacted is followed by a colon and the number of masked values.
const (
	MarkTimeAbsent = "ts_absent"
	MarkTruncated  = "truncated"
	MarkClamped    = "clamped"
	MarkRedacted   = "redacted"
)

// Mask is what redaction leaves in place of a value. A masked value is never a
// correlation key: it would join everybody's records.
const Mask = "[redacted]"

// maxProjectLen and the alphabet of ValidProject are those of project ids
// everywhere: in URLs, in file names, in keys.
const maxProjectLen = 40

// ValidProject says whether s can be a project's id: [a-z0-9-]{1,40}.
func ValidProject(s string) bool {
	if s == "" || len(s) > maxProjectLen {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	}) < 0
}
