package convert

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/record"
)

// promoted is what the attributes of one span, log record or span event say for
// columns.
type promoted struct {
	sent [record.PromotionCount]sent // by Promotion.Index

	peer    string // the network peer, for want of a client address
	fullURL string

	requestBody, responseBody string
	requestID                 string
	marks                     string
	errType                   string // of requests and spans: error.type
	errMessage, errStack      string

	rpcService, rpcMethod string
	rpcCode               string
	destination           string // messaging
	faasName              string

	sampling sampling
}

// sent is a promoted attribute as it arrived; no key when it did not.
type sent struct{ key, value string }

// take puts a promoted attribute into its column and says whether it is no longer
// needed in the map. The current name wins over a former one that disagrees.
func (b *builder) take(r *record.Record, p *promoted, to *record.Promotion, key, value string) bool {
	had := &p.sent[to.Index]
	if had.key != "" {
		if had.value == value {
			return true
		}
		if key != to.Attribute {
			return false
		}
	}
	if !to.Set(r, value) {
		return false
	}
	if had.key != "" {
		b.pair(had.key, had.value)
	}
	*had = sent{key, value}
	return true
}

// keepUnrestorable appends the attributes that were taken and that their columns,
// as they are now, would not give back. The pairs since start are the record's.
func (b *builder) keepUnrestorable(r *record.Record, p *promoted, start int) {
	r.Attributes = b.pairsFrom(start) // where Value looks what columns may be derived from
	for i, s := range p.sent {
		if s.key == "" {
			continue
		}
		if to := &record.Promotions[i]; !to.Holds(r, s.value) {
			b.pair(to.Attribute, s.value)
		}
	}
}

// attributes appends the attributes that have no column and reads the others into
// the record and p. Headers and correlation keys are left to headers and
// correlation. The attributes' names have been read.
func (b *builder) attributes(r *record.Record, attrs pcommon.Map, all trait, p *promoted) {
	i := 0
	for k, v := range attrs.All() {
		n := b.names[i]
		i++
		if n.traits&(traitCorrelation|traitBeyond) != 0 || r.Kind == record.Request && n.traits&traitHeader != 0 {
			continue
		}
		s := asString(v)
		var taken bool
		if to := n.promotions[r.Kind]; to != nil {
			taken = b.take(r, p, to, k, s)
		} else {
			taken = p.every(k, s)
			switch r.Kind {
			case record.Request:
				taken = taken || b.requestAttribute(r, p, k, s, attrs)
			case record.Span:
				p.readError(k, s)
			case record.Event:
			}
		}
		if !taken {
			if n.traits&traitHeader != 0 {
				b.attribute(b.pair(k, s), s) // of what is no request
			} else {
				b.attribute(b.pairOf(n, s), s)
			}
		}
	}
	// The query is the part of http.target that the path does not hold.
	if r.Kind == record.Request && all&traitTarget != 0 {
		if _, query, ok := cutTarget(attrs); ok && query != "" {
			b.attribute(b.pair("url.query", query), query)
		}
	}
}

// attribute appends the facet of an attribute.
func (b *builder) attribute(k *attrKey, value string) {
	b.strs = append(b.strs, b.res.caps.facet(k, value))
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

// requestAttribute reads what only requests have columns for, beside the
// promotions, and says whether the attribute is not needed in the map.
func (b *builder) requestAttribute(r *record.Record, p *promoted, key, s string, attrs pcommon.Map) bool {
	switch key {
	case "http.target":
		path, query, cut := strings.Cut(s, "?")
		if cut {
			if v, ok := attrs.Get("url.query"); ok && v.AsString() != query {
				return false
			}
		}
		return b.take(r, p, record.PromotedAttribute(record.Request, "url.path"), key, path)
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
	p.readError(key, s)
	return false
}

// readError reads the error type of a request or span. It stays an attribute: an
// exception may decide the column.
func (p *promoted) readError(key, s string) {
	if key == "error.type" {
		p.errType = s
	}
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
	p.sampling.read(key, s)
	return false
}

// correlation gives the correlation map of a record: the resource's keys, the
// parent's if there is one, its own, and the request id.
func (b *builder) correlation(attrs pcommon.Map, all trait, parent record.Pairs, requestID string) record.Pairs {
	start := len(b.pairs)
	if all&traitCorrelation != 0 {
		i := 0
		for _, v := range attrs.All() {
			n := b.names[i]
			i++
			if n.traits&traitCorrelation == 0 {
				continue
			}
			if s := asString(v); correlates(n.sent, s) {
				b.pairOf(n, s)
			}
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

// headers gives the headers of a direction.
func (b *builder) headers(attrs pcommon.Map, all, direction trait) record.Pairs {
	if all&direction == 0 {
		return nil
	}
	start, i := len(b.pairs), 0
	for _, v := range attrs.All() {
		n := b.names[i]
		i++
		if n.traits&direction != 0 {
			b.pairOf(n, headerValue(v))
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
	return asString(v)
}
