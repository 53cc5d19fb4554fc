package requesteventreceiver

import (
	"time"

	"github.com/valyala/fastjson"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// common is what all types of items have.
type common struct {
	origin       origin
	start        time.Time
	given        bool // start came with the item
	name         string
	traceID      pcommon.TraceID
	spanID       pcommon.SpanID
	parentSpanID pcommon.SpanID
	traceState   string
	failure      failure
	truncated    bool
}

// failure is the error of an item.
type failure struct {
	present             bool
	typ, message, stack string
}

// item checks the fields of the line and appends the item. Everything that can
// be wrong is found before the batch is touched.
func (d *decoder) item() *lineError {
	typ, lerr := d.str(fieldType)
	if lerr != nil {
		return lerr
	}
	switch typ {
	case "request", "span":
		if !d.limits.traces {
			return rejectLine(reasonNoPipeline, "type: this collector has no traces pipeline for a %s", typ)
		}
	case "event":
		if !d.limits.logs {
			return rejectLine(reasonNoPipeline, "type: this collector has no logs pipeline for an event")
		}
	case "":
		return rejectLine(reasonUnknownType, "type: want request, span or event, got nothing")
	default:
		return rejectLine(reasonUnknownType, "type: want request, span or event, got %s", describe(d.fields[fieldType]))
	}
	c, lerr := d.common()
	if lerr != nil {
		return lerr
	}
	attrs, lerr := d.checkAttributes()
	if lerr != nil {
		return lerr
	}
	switch typ {
	case "request":
		return d.request(c, attrs)
	case "span":
		return d.span(c, attrs)
	}
	return d.event(c, attrs)
}

func (d *decoder) common() (c common, lerr *lineError) {
	if c.start, c.given, lerr = d.timestamp(); lerr != nil {
		return c, lerr
	}
	for _, s := range [...]struct {
		f   field
		dst *string
	}{
		{fieldService, &c.origin.service}, {fieldEnv, &c.origin.env}, {fieldRelease, &c.origin.release}, {fieldInstance, &c.origin.instance},
		{fieldName, &c.name}, {fieldTraceState, &c.traceState},
	} {
		if *s.dst, lerr = d.str(s.f); lerr != nil {
			return c, lerr
		}
	}
	if lerr = d.hexID(fieldTraceID, c.traceID[:]); lerr != nil {
		return c, lerr
	}
	if lerr = d.hexID(fieldSpanID, c.spanID[:]); lerr != nil {
		return c, lerr
	}
	if lerr = d.hexID(fieldParentSpanID, c.parentSpanID[:]); lerr != nil {
		return c, lerr
	}
	c.failure, c.truncated, lerr = d.failure()
	return c, lerr
}

// failure reads the field error: an object of type, message and stack, or a
// string that is the message. Texts are cut at the limit.
func (d *decoder) failure() (f failure, truncated bool, lerr *lineError) {
	v := d.fields[fieldError]
	if v == nil {
		return f, false, nil
	}
	f.present = true
	if v.Type() == fastjson.TypeString {
		f.message, truncated = d.limit(view(v.GetStringBytes()))
		return f, truncated, nil
	}
	if v.Type() != fastjson.TypeObject {
		return f, false, want("error", "an object of type, message and stack, or a string", v)
	}
	var cutMessage, cutStack bool
	if f.typ, _, lerr = d.part(v, "type", "error.type"); lerr != nil {
		return f, false, lerr
	}
	if f.message, cutMessage, lerr = d.part(v, "message", "error.message"); lerr != nil {
		return f, false, lerr
	}
	f.stack, cutStack, lerr = d.part(v, "stack", "error.stack")
	return f, cutMessage || cutStack, lerr
}

// part reads one string of an object, cut at the limit.
func (d *decoder) part(object *fastjson.Value, key, name string) (_ string, truncated bool, _ *lineError) {
	v := object.Get(key)
	if v == nil || v.Type() == fastjson.TypeNull {
		return "", false, nil
	}
	text, lerr := stringOf(name, v)
	if lerr != nil {
		return "", false, lerr
	}
	text, truncated = d.limit(text)
	return text, truncated, nil
}

// limit cuts a text at max_body_bytes.
func (d *decoder) limit(s string) (_ string, truncated bool) {
	if len(s) <= d.limits.maxBodyBytes {
		return s, false
	}
	return cut(s, d.limits.maxBodyBytes), true
}

// mark notes on the record what was done to it.
func (c *common) mark(attrs pcommon.Map) {
	if !c.given {
		conventions.AddMark(attrs, conventions.MarkTimeAbsent)
	}
	if c.truncated {
		conventions.AddMark(attrs, conventions.MarkTruncated)
	}
}

// exception puts the attributes that the semantic conventions give an exception.
func (f *failure) exception(attrs pcommon.Map, text *arena) {
	if f.typ != "" {
		attrs.PutStr("exception.type", text.copy(f.typ))
	}
	if f.message != "" {
		attrs.PutStr("exception.message", text.copy(f.message))
	}
	if f.stack != "" {
		attrs.PutStr("exception.stacktrace", text.copy(f.stack))
	}
}
