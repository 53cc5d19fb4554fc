package columns

import (
	"strings"

	"github.com/trackwayhq/trackway/internal/record"
)

// shape is how the values of a column lie in memory.
type shape uint8

const (
	fixed   shape = iota // width bytes a row
	lowCard              // an index into the dictionary
	text                 // length and bytes
	pairs                // Map(LowCardinality(String), String)
	list                 // Array(LowCardinality(String))
)

// columnID names a column of any of the three tables.
type columnID uint8

const (
	cProject columnID = iota
	cTime
	cRID
	cKind
	cService
	cEnv
	cRelease
	cInstance
	cName
	cMethod
	cRoute
	cPath
	cSeverity
	cMessage
	cStatus
	cSpanStatus
	cDuration
	cTraceID
	cSpanID
	cParentSpanID
	cTraceState
	cFlags
	cRequestID
	cUserAgent
	cClientIP
	cRequestBytes
	cResponseBytes
	cErrorType
	cErrorMessage
	cErrorStack
	cErrorGroup
	cAttributes
	cResource
	cCorrelation
	cRequestHeaders
	cResponseHeaders
	cRequestBody
	cResponseBody
	cFacetItems
	cScopeName
	cScopeVersion
	cLinks
	cMarks
	cWeight
	cTTLDays
	columnCount
)

// columnInfo is what is known of a column.
type columnInfo struct {
	name  string
	typ   string // in ClickHouse
	shape shape
	width int // bytes, of fixed columns
}

const (
	typeLowCard = "LowCardinality(String)"
	typeString  = "String"
	typeMap     = "Map(LowCardinality(String), String)"
	typeList    = "Array(LowCardinality(String))"
	typeTime    = "DateTime64(9, 'UTC')"
	typeSecond  = "DateTime('UTC')"
)

func number(name, typ string, width int) columnInfo { return columnInfo{name, typ, fixed, width} }
func lowCardinality(name string) columnInfo         { return columnInfo{name, typeLowCard, lowCard, 0} }
func str(name string) columnInfo                    { return columnInfo{name, typeString, text, 0} }
func mapping(name string) columnInfo                { return columnInfo{name, typeMap, pairs, 0} }

var columnInfos = [columnCount]columnInfo{
	cProject:         lowCardinality("project"),
	cTime:            number("ts", typeTime, 8),
	cRID:             number("rid", "UInt64", 8),
	cKind:            lowCardinality("kind"),
	cService:         lowCardinality("service"),
	cEnv:             lowCardinality("env"),
	cRelease:         lowCardinality("release"),
	cInstance:        str("instance"),
	cName:            lowCardinality("name"),
	cMethod:          lowCardinality("method"),
	cRoute:           lowCardinality("route"),
	cPath:            str("path"),
	cSeverity:        number("severity", "UInt8", 1),
	cMessage:         str("message"),
	cStatus:          number("status", "UInt16", 2),
	cSpanStatus:      lowCardinality("span_status"),
	cDuration:        number("duration", "UInt64", 8),
	cTraceID:         number("trace_id", "FixedString(16)", 16),
	cSpanID:          number("span_id", "FixedString(8)", 8),
	cParentSpanID:    number("parent_span_id", "FixedString(8)", 8),
	cTraceState:      str("trace_state"),
	cFlags:           number("flags", "UInt32", 4),
	cRequestID:       str("request_id"),
	cUserAgent:       lowCardinality("user_agent"),
	cClientIP:        str("client_ip"),
	cRequestBytes:    number("request_bytes", "UInt64", 8),
	cResponseBytes:   number("response_bytes", "UInt64", 8),
	cErrorType:       lowCardinality("error_type"),
	cErrorMessage:    str("error_message"),
	cErrorStack:      str("error_stack"),
	cErrorGroup:      number("error_group", "UInt64", 8),
	cAttributes:      mapping("attributes"),
	cResource:        mapping("resource"),
	cCorrelation:     mapping("correlation"),
	cRequestHeaders:  mapping("request_headers"),
	cResponseHeaders: mapping("response_headers"),
	cRequestBody:     str("request_body"),
	cResponseBody:    str("response_body"),
	cFacetItems:      {"facet_items", typeList, list, 0},
	cScopeName:       lowCardinality("scope_name"),
	cScopeVersion:    lowCardinality("scope_version"),
	cLinks:           str("links"),
	cMarks:           lowCardinality("marks"),
	cWeight:          number("weight", "UInt32", 4),
	cTTLDays:         number("ttl_days", "UInt16", 2),
}

// tableID names one of the tables that records go to.
type tableID uint8

const (
	requests tableID = iota
	spans
	events
	tableCount
)

func (t tableID) String() string { return [...]string{"requests", "spans", "events"}[t] }

// tableOf gives the table of a kind of record.
func tableOf(k record.Kind) tableID {
	switch k {
	case record.Request:
		return requests
	case record.Span:
		return spans
	}
	return events
}

func (t tableID) kind() record.Kind {
	return [...]record.Kind{record.Request, record.Span, record.Event}[t]
}

// head, timed and tail are the columns that tables share.
var (
	timed = []columnID{
		cStatus, cSpanStatus, cDuration, cTraceID, cSpanID, cParentSpanID, cTraceState, cFlags, cRequestID,
		cUserAgent, cClientIP, cRequestBytes, cResponseBytes,
	}
	described = []columnID{cErrorType, cErrorMessage, cErrorStack, cErrorGroup, cAttributes, cResource, cCorrelation}
)

// tableColumns are the columns of each table in the order of its DDL, but for the
// last one, unit, which a row gets with its unit.
var tableColumns = [tableCount][]columnID{
	requests: join([]columnID{cProject, cTime, cRID, cKind, cService, cEnv, cRelease, cInstance, cName, cMethod, cRoute, cPath},
		timed, described,
		[]columnID{cRequestHeaders, cResponseHeaders, cRequestBody, cResponseBody, cFacetItems, cScopeName, cScopeVersion, cLinks, cMarks, cWeight, cTTLDays}),
	spans: join([]columnID{cProject, cTime, cRID, cKind, cService, cEnv, cRelease, cInstance, cName},
		timed, described,
		[]columnID{cFacetItems, cScopeName, cScopeVersion, cLinks, cMarks, cWeight, cTTLDays}),
	events: join([]columnID{cProject, cTime, cRID, cService, cEnv, cRelease, cInstance, cName, cSeverity, cMessage, cTraceID, cSpanID, cFlags},
		described,
		[]columnID{cFacetItems, cScopeName, cScopeVersion, cMarks, cWeight, cTTLDays}),
}

func join(lists ...[]columnID) (out []columnID) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// insertColumns are the names of each table's columns as an INSERT lists them.
var insertColumns = func() (names [tableCount]string) {
	for t, ids := range tableColumns {
		var list []string
		for _, c := range ids {
			list = append(list, columnInfos[c].name)
		}
		names[t] = strings.Join(append(list, "unit"), ", ")
	}
	return names
}()
