package otlpmeter

import "strings"

// message is what is known of a protobuf message of OTLP
// (github.com/open-telemetry/opentelemetry-proto, release 1.x).
type message struct {
	// bytes is what one takes in a collector's pdata: the struct in its size class,
	// and its place in the slice that holds it, which grows by copying.
	bytes int64
	// field is what every field beside messages takes, where fields repeat or are
	// boxed.
	field int64
	// packed is what each byte of such a field takes, where it may be packed numbers
	// of one byte each.
	packed int64
	// messages are the fields that are messages, by number.
	messages fields
}

// fields are messages by the number of their field.
type fields [16]*message

// formerScopes is the field of resources that scopes were in before release 0.19 of
// OTLP; pdata still reads it.
const formerScopes = 1000

// A place in a slice: of pointers, or of the messages themselves.
const (
	pointer = 16
	inline  = 2
)

var (
	anyValue     = &message{field: 24} // in its KeyValue or log record
	element      = &message{bytes: 16 * inline, field: 24}
	keyValue     = &message{bytes: 40 * inline}
	keyValueList = &message{bytes: 32}
	arrayValue   = &message{bytes: 32}
	entityRef    = &message{bytes: 80 + pointer, field: 32}
	resource     = &message{messages: fields{1: keyValue, 3: entityRef}}
	scope        = &message{messages: fields{3: keyValue}}

	spanEvent  = &message{bytes: 64 + pointer, messages: fields{3: keyValue}}
	spanLink   = &message{bytes: 80 + pointer, messages: fields{4: keyValue}}
	span       = &message{bytes: 240 + pointer, messages: fields{9: keyValue, 11: spanEvent, 13: spanLink, 15: {}}}
	scopeSpans = &message{bytes: 128 + pointer, messages: fields{1: scope, 2: span}}
	traces     = export(&message{bytes: 144 + pointer, messages: fields{1: resource, 2: scopeSpans}})

	logRecord = &message{bytes: 160 + pointer, messages: fields{5: anyValue, 6: keyValue}}
	scopeLogs = &message{bytes: 128 + pointer, messages: fields{1: scope, 2: logRecord}}
	logs      = export(&message{bytes: 144 + pointer, messages: fields{1: resource, 2: scopeLogs}})

	exemplar    = &message{bytes: 80 * inline, field: 8, messages: fields{7: keyValue}}
	numberPoint = &message{bytes: 96 + pointer, field: 8, messages: fields{5: exemplar, 7: keyValue}}
	histPoint   = &message{bytes: 160 + pointer, messages: fields{8: exemplar, 9: keyValue}}
	buckets     = &message{field: 16, packed: 16}
	expPoint    = &message{bytes: 224 + pointer, messages: fields{1: keyValue, 8: buckets, 9: buckets, 11: exemplar}}
	summary     = &message{bytes: 96 + pointer, messages: fields{6: {bytes: 16 + pointer}, 7: keyValue}}
	metric      = &message{bytes: 96 + pointer, messages: fields{
		5: points(numberPoint), 7: points(numberPoint), 9: points(histPoint), 10: points(expPoint), 11: points(summary), 12: keyValue,
	}}
	scopeMetrics = &message{bytes: 128 + pointer, messages: fields{1: scope, 2: metric}}
	metrics      = export(&message{bytes: 144 + pointer, messages: fields{1: resource, 2: scopeMetrics}})
)

func init() { // values hold values
	anyValue.messages = fields{5: arrayValue, 6: keyValueList}
	keyValue.messages = fields{2: anyValue}
	keyValueList.messages = fields{1: keyValue}
	element.messages = anyValue.messages
	arrayValue.messages = fields{1: element}
}

// export is a request of messages for resources.
func export(perResource *message) *message {
	return &message{messages: fields{1: perResource}}
}

// points is the data of a metric.
func points(point *message) *message {
	return &message{bytes: 64, messages: fields{1: point}}
}

// requests are the requests by the end of the paths they are posted to, and by
// the names of their types.
var requests = map[string]*message{
	"/v1/traces": traces, "ExportTraceServiceRequest": traces,
	"/v1/logs": logs, "ExportLogsServiceRequest": logs,
	"/v1/metrics": metrics, "ExportMetricsServiceRequest": metrics,
}

// ForPath gives a meter for the body of a request to a path of OTLP over HTTP; nil
// when it is none. isJSON tells its encoding, which is protobuf otherwise.
func ForPath(path string, isJSON bool) Meter {
	i := strings.LastIndex(path, "/v1/")
	if i < 0 {
		return nil
	}
	root, ok := requests[path[i:]]
	switch {
	case !ok:
		return nil
	case isJSON:
		return &jsonMeter{}
	}
	return newProtobuf(root)
}

// ForType gives a meter for a message of protobuf by the name of its type; nil
// when it is no request of OTLP.
func ForType(name string) Meter {
	if root, ok := requests[name]; ok {
		return newProtobuf(root)
	}
	return nil
}
