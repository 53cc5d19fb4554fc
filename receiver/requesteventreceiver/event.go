package requesteventreceiver

import (
	"github.com/valyala/fastjson"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// severities by the words senders use for them; numbers are those of the
// OpenTelemetry log data model.
var severities = map[string]plog.SeverityNumber{
	"trace": plog.SeverityNumberTrace, "debug": plog.SeverityNumberDebug,
	"info": plog.SeverityNumberInfo, "information": plog.SeverityNumberInfo, "notice": plog.SeverityNumberInfo2,
	"warn": plog.SeverityNumberWarn, "warning": plog.SeverityNumberWarn,
	"error": plog.SeverityNumberError, "err": plog.SeverityNumberError,
	"critical": plog.SeverityNumberFatal, "fatal": plog.SeverityNumberFatal,
	"TRACE": plog.SeverityNumberTrace, "DEBUG": plog.SeverityNumberDebug,
	"INFO": plog.SeverityNumberInfo, "WARN": plog.SeverityNumberWarn, "WARNING": plog.SeverityNumberWarn,
	"ERROR": plog.SeverityNumberError, "FATAL": plog.SeverityNumberFatal,
}

const maxSeverity = 24 // of the log data model

// event appends a log record.
func (d *decoder) event(c common, a attributes) *lineError {
	message, lerr := d.str(fieldMessage)
	if lerr != nil {
		return lerr
	}
	number, word, lerr := d.severity(c.failure.present)
	if lerr != nil {
		return lerr
	}
	if v := d.fields[fieldStatus]; v != nil {
		if a.status, a.hasStatus, lerr = d.integer(fieldStatus, maxStatus); lerr != nil {
			return lerr
		}
	}
	if c.name == "" && message == "" && !c.failure.present {
		return rejectLine(reasonInvalidField, "name: want a name, a message or an error, got none of them")
	}

	r := d.batch.record(c.origin, &d.text)
	r.SetEventName(d.text.copy(c.name))
	r.SetTimestamp(pcommon.NewTimestampFromTime(c.start))
	r.SetObservedTimestamp(pcommon.NewTimestampFromTime(d.now))
	r.SetSeverityNumber(number)
	r.SetSeverityText(d.text.copy(word))
	r.SetTraceID(c.traceID)
	r.SetSpanID(c.spanID)
	message, cutMessage := d.limit(message)
	if message != "" {
		r.Body().SetStr(d.text.copy(message))
	}
	d.put(r.Attributes(), &a)
	if c.failure.present {
		c.failure.exception(r.Attributes(), &d.text)
	}
	c.truncated = c.truncated || a.truncated || cutMessage
	c.mark(r.Attributes())
	return nil
}

// severity reads a word or a number; without one an event is information, or an
// error when it carries one.
func (d *decoder) severity(failed bool) (plog.SeverityNumber, string, *lineError) {
	const expected = "trace, debug, info, warn, error or fatal, or a number from 1 to 24"
	v := d.fields[fieldSeverity]
	switch {
	case v == nil && failed:
		return plog.SeverityNumberError, "", nil
	case v == nil:
		return plog.SeverityNumberInfo, "", nil
	case v.Type() == fastjson.TypeNumber:
		n, err := v.Int()
		if err != nil || n < 1 || n > maxSeverity {
			return 0, "", want("severity", expected, v)
		}
		return plog.SeverityNumber(n), "", nil
	}
	word, lerr := d.str(fieldSeverity)
	if lerr != nil {
		return 0, "", want("severity", expected, v)
	}
	number, ok := severities[word]
	if !ok {
		return 0, "", want("severity", expected, v)
	}
	return number, word, nil
}
