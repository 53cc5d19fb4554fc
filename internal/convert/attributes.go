package convert

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/record"
)

// promoted is what the attributes of one span, log record or span event say for
// columns.
type promoted struct {
	method, route, path string
	status              uint16
	hasStatus           bool
	userAgent, clientIP string
	peer                string // the network peer, for want of a client address
	fullURL             string

	requestBytes, responseBytes   uint64
	requestID                     string
	requestBody, responseBody     string
	marks                         string
	errType, errMessage, errStack string

	rpcService, rpcMethod string
	rpcCode               string
	destination           string // messaging
	faasName              string
}

// attributes appends the attributes that have no column for records of the kind
// and reads the others into p. Headers and correlation keys are left to
// mapColumns, which know them by their prefixes.
func (b *builder) attributes(kind record.Kind, attrs pcommon.Map, p *promoted) {
	for k, v := range attrs.All() {
		s := v.AsString()
		if strings.HasPrefix(k, conventions.CorrelationPrefix) || kind == record.Request && isHeader(k) {
			continue
		}
		var taken bool
		switch kind {
		case record.Request:
			taken = p.request(k, s, attrs) || p.span(k, s)
		case record.Span:
			taken = p.span(k, s)
		case record.Event:
			taken = p.event(k, s)
		}
		if !taken {
			b.attribute(k, s)
		}
	}
	// The query is the part of http.target that the path does not hold.
	if kind == record.Request {
		if _, query, ok := cutTarget(attrs); ok && query != "" {
			b.attribute("url.query", query)
		}
	}
}

// attribute appends an attribute and its facet.
func (b *builder) attribute(key, value string) {
	k := b.pair(key, value)
	b.strs = append(b.strs, b.res.caps.facet(k, value))
}

func isHeader(key string) bool {
	return strings.HasPrefix(key, "http.re") &&
		(strings.HasPrefix(key, conventions.RequestHeaderPrefix) || strings.HasPrefix(key, conventions.ResponseHeaderPrefix))
}

// cutTarget gives the query of http.target when the map has no url.query.
func cutTarget(attrs pcommon.Map) (path, query string, ok bool) {
	v, ok := attrs.Get("http.target")
	if !ok {
		return "", "", false
	}
	path, query, ok = strings.Cut(v.AsString(), "?")
	if _, has := attrs.Get("url.query"); has {
		return path, "", false
	}
	return path, query, ok
}

// request takes the attributes that only requests have columns for.
func (p *promoted) request(key, s string, attrs pcommon.Map) bool {
	switch key {
	case "http.request.method", "http.method":
		return promote(&p.method, s)
	case "http.route":
		p.route = s
		return true
	case "url.path":
		return promote(&p.path, s)
	case "http.target":
		path, query, cut := strings.Cut(s, "?")
		if cut {
			if v, ok := attrs.Get("url.query"); ok && v.AsString() != query {
				return false
			}
		}
		return promote(&p.path, path)
	case "url.full", "http.url":
		p.fullURL = s
	case conventions.RequestBody:
		p.requestBody = s
		return true
	case conventions.ResponseBody:
		p.responseBody = s
		return true
	case conventions.RequestKind:
		return true
	case "rpc.service":
		p.rpcService = s
	case "rpc.method":
		p.rpcMethod = s
	case "rpc.grpc.status_code", "rpc.response.status_code", "rpc.connect_rpc.error_code":
		p.rpcCode = s
	case "messaging.destination.template":
		p.destination = s
	case "messaging.destination.name", "messaging.destination":
		promote(&p.destination, s)
	case "faas.name":
		p.faasName = s
	case "net.peer.ip", "net.sock.peer.addr", "network.peer.address":
		p.peer = s
	}
	return false
}

// span takes the attributes that requests and spans have columns for.
func (p *promoted) span(key, s string) bool {
	switch key {
	case "http.response.status_code", "http.status_code":
		status, ok := httpStatus(s)
		if !ok || p.hasStatus {
			return ok && p.status == status
		}
		p.status, p.hasStatus = status, true
		return true
	case "user_agent.original", "http.user_agent":
		return promote(&p.userAgent, s)
	case "client.address", "http.client_ip":
		return promote(&p.clientIP, s)
	case "http.request.body.size", "http.request_content_length":
		return size(&p.requestBytes, s)
	case "http.response.body.size", "http.response_content_length":
		return size(&p.responseBytes, s)
	case "error.type":
		return promote(&p.errType, s)
	}
	return p.every(key, s)
}

// event takes the attributes that events have columns for.
func (p *promoted) event(key, s string) bool {
	switch key {
	case "exception.type":
		return promote(&p.errType, s)
	case "exception.message":
		p.errMessage = s
		return true
	case "exception.stacktrace":
		p.errStack = s
		return true
	}
	return p.every(key, s)
}

// every takes the attributes that every kind has columns for.
func (p *promoted) every(key, s string) bool {
	switch key {
	case conventions.RequestID:
		p.requestID = s
		return true
	case conventions.Marks:
		p.marks = s
		return true
	}
	return false
}

func size(column *uint64, s string) bool {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || *column != 0 {
		return err == nil && *column == n
	}
	*column = n
	return true
}

// correlation gives the correlation map of a record: the resource's keys, the
// parent's if there is one, its own, and the request id.
func (b *builder) correlation(attrs pcommon.Map, parent record.Pairs, requestID string) record.Pairs {
	start := len(b.pairs)
	for k, v := range attrs.All() {
		if key, ok := strings.CutPrefix(k, conventions.CorrelationPrefix); ok {
			b.correlate(key, v.AsString())
		}
	}
	if requestID != "" && !has(b.pairs[start:], "request_id") {
		b.correlate("request_id", requestID)
	}
	for _, more := range [...]record.Pairs{parent, b.res.correlation} {
		for _, kv := range more {
			if !has(b.pairs[start:], kv.Key) {
				b.pairs = append(b.pairs, kv)
			}
		}
	}
	b.spillPairs()
	return b.pairsFrom(start)
}

func has(pairs []record.Pair, key string) bool {
	_, ok := record.Pairs(pairs).Get(key)
	return ok
}

// headers gives the headers whose attributes begin with prefix.
func (b *builder) headers(attrs pcommon.Map, prefix string) record.Pairs {
	start := len(b.pairs)
	for k, v := range attrs.All() {
		if name, ok := strings.CutPrefix(k, prefix); ok {
			b.pair(name, headerValue(v))
		}
	}
	b.spillPairs()
	return b.pairsFrom(start)
}

// headerValue is the value itself where the array the conventions ask for has
// one element, else pdata's string form.
func headerValue(v pcommon.Value) string {
	if v.Type() == pcommon.ValueTypeSlice && v.Slice().Len() == 1 {
		return v.Slice().At(0).AsString()
	}
	return v.AsString()
}
