package requesteventreceiver

import "time"

// field is the position of a known key in a decoded line.
type field uint8

// The keys of an item.
const (
	fieldType field = iota
	fieldTS
	fieldService
	fieldEnv
	fieldRelease
	fieldInstance
	fieldName
	fieldKind
	fieldMethod
	fieldRoute
	fieldPath
	fieldStatus
	fieldDurationMS
	fieldTraceID
	fieldSpanID
	fieldParentSpanID
	fieldTraceState
	fieldRequestID
	fieldUserAgent
	fieldClientIP
	fieldRequestBytes
	fieldResponseBytes
	fieldRequestHeaders
	fieldResponseHeaders
	fieldRequestBody
	fieldResponseBody
	fieldSeverity
	fieldMessage
	fieldAttributes
	fieldCorrelation
	fieldError
	numFields
)

var fieldNames = [numFields]string{
	"type", "ts", "service", "env", "release", "instance", "name", "kind", "method", "route", "path", "status",
	"duration_ms", "trace_id", "span_id", "parent_span_id", "trace_state", "request_id", "user_agent", "client_ip",
	"request_bytes", "response_bytes", "request_headers", "response_headers", "request_body", "response_body",
	"severity", "message", "attributes", "correlation", "error",
}

// fieldSlots is the size of the table that fieldOf looks into.
const fieldSlots = 256

// fieldTable finds a field by the hash of its name; 0 is none, otherwise the field
// and one.
var fieldTable = func() (table [fieldSlots]field) {
	for f, name := range fieldNames {
		slot := &table[fieldHash(name)]
		if *slot != 0 {
			panic("two fields of one hash: " + name) // change fieldHash
		}
		*slot = field(f) + 1
	}
	return table
}()

// fieldHash has no collision among the names of fields.
func fieldHash(name string) uint8 {
	return uint8(len(name))*35 + name[0]*146 + name[len(name)-1]*217 + name[len(name)/2]*206
}

// fieldOf gives the field of a key.
func fieldOf(key string) (field, bool) {
	if key == "" {
		return 0, false
	}
	f := fieldTable[fieldHash(key)] - 1
	return f, f < numFields && fieldNames[f] == key
}

// str returns the string of a field, "" when it is absent. It is memory of the
// line.
func (d *decoder) str(f field) (string, *lineError) {
	i := d.fields[f]
	if i == 0 {
		return "", nil
	}
	n := d.at(i)
	if n.kind != kindString {
		return "", d.want(fieldNames[f], "a string", i)
	}
	return d.textOf(n), nil
}

// integer returns the whole number of a field from 0 to limit; ok is false when
// the field is absent.
func (d *decoder) integer(f field, limit int64) (v int64, ok bool, _ *lineError) {
	i := d.fields[f]
	if i == 0 {
		return 0, false, nil
	}
	n := d.at(i)
	if n.kind == kindWhole {
		v, ok = d.wholeOf(n)
	}
	if !ok {
		return 0, false, d.want(fieldNames[f], "an integer", i)
	}
	if v < 0 || v > limit {
		return 0, false, rejectLine(reasonInvalidField, "%s: want an integer from 0 to %d, got %d", fieldNames[f], limit, v)
	}
	return v, true, nil
}

// maxDuration bounds duration_ms, so that its nanoseconds fit and a slip of the
// unit shows.
const maxDuration = 366 * 24 * time.Hour

func (d *decoder) duration() (time.Duration, *lineError) {
	i := d.fields[fieldDurationMS]
	if i == 0 {
		return 0, nil
	}
	n := d.at(i)
	if !n.kind.isNumber() {
		return 0, d.want("duration_ms", "a number of milliseconds", i)
	}
	ms, ok := d.doubleOf(n)
	if !ok || ms < 0 || ms > float64(maxDuration/time.Millisecond) {
		return 0, rejectLine(reasonInvalidField, "duration_ms: want a number of milliseconds from 0 to %d, got %s", maxDuration/time.Millisecond, d.describe(i))
	}
	return time.Duration(ms*1e6 + 0.5), nil
}

// hexID decodes the hex id of a field into dst; an absent or empty one leaves dst
// at zero.
func (d *decoder) hexID(f field, dst []byte) *lineError {
	s, lerr := d.str(f)
	if lerr != nil || s == "" {
		return lerr
	}
	if len(s) != 2*len(dst) || !decodeHex(dst, s) {
		return rejectLine(reasonInvalidField, "%s: want %d hex digits, got %s", fieldNames[f], 2*len(dst), d.describe(d.fields[f]))
	}
	return nil
}

func decodeHex(dst []byte, s string) bool {
	var wrong int8
	for i := range dst {
		high, low := hexDigits[s[2*i]], hexDigits[s[2*i+1]]
		wrong |= high | low
		dst[i] = byte(high)<<4 | byte(low)
	}
	return wrong >= 0
}

// object returns the node of an object, 0 when it is absent.
func (d *decoder) object(f field) (uint32, *lineError) {
	i := d.fields[f]
	if i != 0 && d.at(i).kind != kindObject {
		return 0, d.want(fieldNames[f], "an object", i)
	}
	return i, nil
}
