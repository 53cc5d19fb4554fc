package requesteventreceiver

import (
	"encoding/hex"
	"math"
	"time"

	"github.com/valyala/fastjson"
)

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

var fieldByName = func() map[string]field {
	m := make(map[string]field, numFields)
	for f, name := range fieldNames {
		m[name] = field(f)
	}
	return m
}()

// str returns the string of a field, "" when it is absent. It is the parser's:
// copy what is kept.
func (d *decoder) str(f field) (string, *lineError) {
	v := d.fields[f]
	if v == nil {
		return "", nil
	}
	return stringOf(fieldNames[f], v)
}

func stringOf(name string, v *fastjson.Value) (string, *lineError) {
	b, err := v.StringBytes()
	if err != nil {
		return "", want(name, "a string", v)
	}
	return view(b), nil
}

// integer returns the whole number of a field from 0 to limit; ok is false when
// the field is absent.
func (d *decoder) integer(f field, limit int64) (n int64, ok bool, _ *lineError) {
	v := d.fields[f]
	if v == nil {
		return 0, false, nil
	}
	n, err := v.Int64()
	if err != nil {
		return 0, false, want(fieldNames[f], "an integer", v)
	}
	if n < 0 || n > limit {
		return 0, false, rejectLine(reasonInvalidField, "%s: want an integer from 0 to %d, got %d", fieldNames[f], limit, n)
	}
	return n, true, nil
}

// maxDuration bounds duration_ms, so that its nanoseconds fit and a slip of the
// unit shows.
const maxDuration = 366 * 24 * time.Hour

func (d *decoder) duration() (time.Duration, *lineError) {
	v := d.fields[fieldDurationMS]
	if v == nil {
		return 0, nil
	}
	ms, err := v.Float64()
	if err != nil {
		return 0, want("duration_ms", "a number of milliseconds", v)
	}
	if math.IsNaN(ms) || ms < 0 || ms > float64(maxDuration/time.Millisecond) {
		return 0, rejectLine(reasonInvalidField, "duration_ms: want a number of milliseconds from 0 to %d, got %s", maxDuration/time.Millisecond, describe(v))
	}
	return time.Duration(math.Round(ms * 1e6)), nil
}

// Sizes by which the unit of an epoch is told: 1e11 s is the year 5138.
const (
	epochSeconds = 1e11
	epochMillis  = 1e14
	epochMicros  = 1e17
)

// latestTime bounds times so that the end of the longest span still fits the
// int64 nanoseconds of pdata.
var latestTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// timestamp returns the time of the item and whether it was given: RFC 3339, or
// an epoch in seconds, milliseconds, microseconds or nanoseconds.
func (d *decoder) timestamp() (t time.Time, given bool, _ *lineError) {
	const expected = "RFC 3339 or an epoch in s, ms, µs or ns"
	v := d.fields[fieldTS]
	if v == nil {
		return d.now, false, nil
	}
	switch v.Type() {
	case fastjson.TypeString:
		var err error
		if t, err = time.Parse(time.RFC3339Nano, view(v.GetStringBytes())); err != nil {
			return t, true, want("ts", expected, v)
		}
	case fastjson.TypeNumber:
		var ok bool
		if t, ok = epoch(v); !ok {
			return t, true, want("ts", expected, v)
		}
	default:
		return t, true, want("ts", expected, v)
	}
	if !t.Before(latestTime) {
		return t, true, want("ts", "a time before the year 2200", v)
	}
	if oldest := d.now.Add(-d.limits.maxAge); t.Before(oldest) {
		return t, true, rejectLine(reasonTooOld, "ts: %s is older than %s (max_age)", t.UTC().Format(time.RFC3339), d.limits.maxAge)
	}
	return t, true, nil
}

func epoch(v *fastjson.Value) (time.Time, bool) {
	if n, err := v.Int64(); err == nil {
		switch {
		case n < 0:
			return time.Time{}, false
		case n < epochSeconds:
			return time.Unix(n, 0), true
		case n < epochMillis:
			return time.UnixMilli(n), true
		case n < epochMicros:
			return time.UnixMicro(n), true
		}
		return time.Unix(0, n), true
	}
	f, err := v.Float64()
	if err != nil || math.IsNaN(f) || f < 0 {
		return time.Time{}, false
	}
	unit := time.Second
	switch {
	case f >= epochMicros:
		return time.Time{}, false // a double holds no fraction of a nanosecond epoch
	case f >= epochMillis:
		unit = time.Microsecond
	case f >= epochSeconds:
		unit = time.Millisecond
	}
	whole, frac := math.Modf(f)
	perSecond := int64(time.Second / unit)
	sec, rest := int64(whole)/perSecond, int64(whole)%perSecond
	return time.Unix(sec, rest*int64(unit)+int64(math.Round(frac*float64(unit)))), true
}

// hexID decodes the hex id of a field into dst; an absent or empty one leaves dst
// at zero.
func (d *decoder) hexID(f field, dst []byte) *lineError {
	s, lerr := d.str(f)
	if lerr != nil || s == "" {
		return lerr
	}
	if len(s) != 2*len(dst) {
		return rejectLine(reasonInvalidField, "%s: want %d hex digits, got %s", fieldNames[f], 2*len(dst), describe(d.fields[f]))
	}
	if _, err := hex.Decode(dst, []byte(s)); err != nil {
		return rejectLine(reasonInvalidField, "%s: want %d hex digits, got %s", fieldNames[f], 2*len(dst), describe(d.fields[f]))
	}
	return nil
}

// object returns the object of a field, nil when it is absent.
func (d *decoder) object(f field) (*fastjson.Object, *lineError) {
	v := d.fields[f]
	if v == nil {
		return nil, nil
	}
	o, err := v.Object()
	if err != nil {
		return nil, want(fieldNames[f], "an object", v)
	}
	return o, nil
}
