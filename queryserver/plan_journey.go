package queryserver

import (
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// journeyQuestion asks for what carries a value of a correlation key.
type journeyQuestion struct {
	project, key, value string
	window              window
	cursor              *record.ID // the last row of the page before, nil on the first
	ascending           bool
	limit               int
}

const (
	// maxLinkedTraces bounds the traces of a page whose other records are read.
	maxLinkedTraces = 200
	// maxLinked bounds those records.
	maxLinked = 1000
)

// planJourney reads a page of one primary-key range, in two steps for the reason
// that planRowsIn gives: the order of the table is that of the time alone.
func planJourney(q journeyQuestion) clickhouse.Query {
	p := newParams(q.project)
	w := q.window
	data := q.data(p, "Limit", q.limit+1) // one more says whether a page follows
	data["After"], data["Order"] = "", "DESC"
	after := "<"
	if q.ascending {
		data["Order"], after = "ASC", ">"
	}
	if q.cursor != nil {
		if q.ascending {
			w.From = later(w.From, q.cursor.Time)
		} else {
			w.To = earlier(w.To, q.cursor.Time.Add(1))
		}
		data["After"] = "\n  AND (ts, rid) " + after + " (" + p.nanos(q.cursor.Time.UnixNano()) + ", " + p.uint(q.cursor.RID) + ")"
	}
	data["From"], data["To"] = p.nanos(w.From.UnixNano()), p.nanos(w.To.UnixNano())
	return clickhouse.Query{Name: "journey", SQL: render("journey", data), Params: p.values, Settings: cloneSettings(rowSettings)}
}

// planJourneySummary counts the whole journey by kind and service.
func planJourneySummary(q journeyQuestion) clickhouse.Query {
	p := newParams(q.project)
	data := q.data(p, "From", p.nanos(q.window.From.UnixNano()))
	data["To"] = p.nanos(q.window.To.UnixNano())
	return clickhouse.Query{Name: "journey_summary", SQL: render("journey_summary", data), Params: p.values}
}

// planJourneySeen says which traces pages before this one have shown.
func planJourneySeen(q journeyQuestion, traces []string) clickhouse.Query {
	p := newParams(q.project)
	before := "<="
	if !q.ascending {
		before = ">="
	}
	data := q.data(p, "Traces", p.traces(traces))
	data["From"], data["To"] = p.nanos(q.window.From.UnixNano()), p.nanos(q.window.To.UnixNano())
	data["Before"] = "\n  AND (ts, rid) " + before + " (" + p.nanos(q.cursor.Time.UnixNano()) + ", " + p.uint(q.cursor.RID) + ")"
	return clickhouse.Query{Name: "journey_seen", SQL: render("journey_seen", data), Params: p.values}
}

// planTracesMinutes asks the trace index where several traces are within a window.
func planTracesMinutes(project string, traces []string, w window) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: "traces_minutes", SQL: render("traces_minutes", map[string]any{
		"Traces": p.texts(traces), "From": p.seconds(floor(w.From, time.Minute).Unix()), "To": p.seconds(ceil(w.To, time.Minute).Unix()),
		"Limit": maxTraceMinutes,
	}), Params: p.values}
}

// journeyTable is how a table's rows look in a journey.
type journeyTable struct{ Kind, Table, Name, Status, Duration string }

// journeyTables give a row of another table the form that the journey has.
var journeyTables = []journeyTable{
	{"request", "requests", "if(method = '', toString(name), concat(toString(method), ' ', toString(route)))", "status", "duration_ms"},
	{"span", "spans", "toString(name)", "status", "duration_ms"},
	{"event", "events", "toString(name)", "toUInt16(0)", "toFloat32(0)"},
}

// planJourneyLinked reads the records of traces that do not carry the key
// themselves, in the minutes that the trace index names.
func planJourneyLinked(q journeyQuestion, traces []string, minutes []time.Time) clickhouse.Query {
	p := newParams(q.project)
	data := q.data(p, "Traces", p.traces(traces))
	data["From"], data["To"] = p.nanos(q.window.From.UnixNano()), p.nanos(q.window.To.UnixNano())
	data["Tables"], data["Ranges"], data["Limit"] = journeyTables, p.ranges(joinMinutes(minutes)), maxLinked+1
	return clickhouse.Query{Name: "journey_linked", SQL: render("journey_linked", data), Params: p.values}
}

// planJourneyPivots counts the correlation keys on records, and on what else is in
// their traces.
func planJourneyPivots(q journeyQuestion, records []record.ID, traces []string, minutes []time.Time) clickhouse.Query {
	p := newParams(q.project)
	pairs := make([]string, len(records))
	for i, id := range records {
		pairs[i] = "(" + strconv.FormatInt(id.Time.UnixNano(), 10) + "," + strconv.FormatUint(id.RID, 10) + ")"
	}
	data := q.data(p, "Records", p.bind("["+strings.Join(pairs, ",")+"]", "Array(Tuple(Int64, UInt64))"))
	data["Traces"], data["Tables"], data["Ranges"], data["Limit"] = p.traces(traces), journeyTables, p.ranges(joinMinutes(minutes)), q.limit
	return clickhouse.Query{Name: "journey_pivots", SQL: render("journey_pivots", data), Params: p.values}
}

// data binds the key and its value.
func (q journeyQuestion) data(p *params, name string, value any) map[string]any {
	return map[string]any{"Key": p.text(q.key), "Value": p.text(q.value), name: value}
}

// texts binds a list of hex digits.
func (p *params) texts(hex []string) string {
	return "splitByChar(',', " + p.text(strings.Join(hex, ",")) + ")"
}

// traces binds trace ids, for IN.
func (p *params) traces(ids []string) string {
	if len(ids) == 0 {
		return "(CAST([], 'Array(FixedString(16))'))"
	}
	return "(arrayMap(x -> toFixedString(unhex(x), 16), " + p.texts(ids) + "))"
}

// ranges are windows as a condition for the index.
func (p *params) ranges(windows []window) string {
	if len(windows) == 0 {
		return sqlFalse
	}
	terms := make([]string, len(windows))
	for i, w := range windows {
		terms[i] = "ts >= " + p.nanos(w.From.UnixNano()) + " AND ts < " + p.nanos(w.To.UnixNano())
	}
	return strings.Join(terms, " OR ")
}
