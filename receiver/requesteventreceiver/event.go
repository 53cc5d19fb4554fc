package requesteventreceiver

import (
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
	if a.status, a.hasStatus, lerr = d.integer(fieldStatus, maxStatus); lerr != nil {
		return lerr
	}
	if c.name == "" && message == "" && !c.failure.present {
		return rejectLine(reasonInvalidField, "name: want a name, a message or an error, got none of them")
	}

	message, cutMessage := d.limit(message)
	c.truncated = c.truncated || a.truncated || cutMessage
	r := d.batch.record(c.origin)
	r.SetEventName(c.name)
	r.SetTimestamp(pcommon.NewTimestampFromTime(c.start))
	r.SetObservedTimestamp(pcommon.NewTimestampFromTime(d.now))
	r.SetSeverityNumber(number)
	r.SetSeverityText(word)
	r.SetTraceID(c.traceID)
	r.SetSpanID(c.spanID)
	if message != "" {
		r.Body().SetStr(message)
	}
	d.put(r.Attributes(), &c, &a, true)
	return nil
}

// severity reads a word or a number; without one an event is information, or an
// error when it carries one.
func (d *decoder) severity(failed bool) (plog.SeverityNumber, string, *lineError) {
	const expected = "trace, debug, info, warn, error or fatal, or a number from 1 to 24"
	i := d.fields[fieldSeverity]
	if i == 0 {
		if failed {
			return plog.SeverityNumberError, "", nil
		}
		return plog.SeverityNumberInfo, "", nil
	}
	switch n := d.at(i); n.kind {
	case kindWhole:
		if v, ok := d.wholeOf(n); ok && v >= 1 && v <= maxSeverity {
			return plog.SeverityNumber(v), "", nil
		}
	case kindString:
		if number, ok := severities[d.textOf(n)]; ok {
			return number, d.textOf(n), nil
		}
	}
	return 0, "", d.want("severity", expected, i)
}
