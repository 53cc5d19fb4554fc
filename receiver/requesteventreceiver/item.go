package requesteventreceiver

import (
	"time"

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
		return rejectLine(reasonUnknownType, "type: want request, span or event, got %s", d.describe(d.fields[fieldType]))
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
	i := d.fields[fieldError]
	if i == 0 {
		return f, false, nil
	}
	f.present = true
	switch n := d.at(i); n.kind {
	case kindString:
		f.message, truncated = d.limit(d.textOf(n))
		return f, truncated, nil
	case kindObject:
	default:
		return f, false, d.want("error", "an object of type, message and stack, or a string", i)
	}
	var cutType, cutMessage, cutStack bool
	if f.typ, cutType, lerr = d.part(i, "type", "error.type"); lerr != nil {
		return f, false, lerr
	}
	if f.message, cutMessage, lerr = d.part(i, "message", "error.message"); lerr != nil {
		return f, false, lerr
	}
	f.stack, cutStack, lerr = d.part(i, "stack", "error.stack")
	return f, cutType || cutMessage || cutStack, lerr
}

// part reads one string of an object, cut at the limit.
func (d *decoder) part(object uint32, key, name string) (text string, truncated bool, _ *lineError) {
	i := d.member(object, key)
	if i == 0 {
		return "", false, nil
	}
	n := d.at(i)
	if n.kind != kindString {
		return "", false, d.want(name, "a string", i)
	}
	text, truncated = d.limit(d.textOf(n))
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
func (c *common) mark(attrs *attributeBuilder) {
	var marks string
	switch {
	case !c.given && c.truncated:
		marks = conventions.MarkTimeAbsent + "," + conventions.MarkTruncated
	case !c.given:
		marks = conventions.MarkTimeAbsent
	case c.truncated:
		marks = conventions.MarkTruncated
	default:
		return
	}
	if v, known := attrs.get(conventions.Marks); known && v.Type() == pcommon.ValueTypeStr && v.Str() != "" {
		marks = v.Str() + "," + marks
	}
	attrs.putStr(conventions.Marks, marks)
}

// exception puts the attributes that the semantic conventions give an exception.
func (f *failure) exception(put func(key, value string)) {
	if f.typ != "" {
		put("exception.type", f.typ)
	}
	if f.message != "" {
		put("exception.message", f.message)
	}
	if f.stack != "" {
		put("exception.stacktrace", f.stack)
	}
}
