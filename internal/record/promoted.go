package record

import (
	"slices"
	"strconv"
	"strings"
)

// MarkRouteDerived marks a request whose route the sender did not give: it was
// made of the span's name or of the path.
const MarkRouteDerived = "route_derived"

// Promotion is an attribute of the semantic conventions that lives in a column
// instead of a map. Value puts it back; where Value would not give what the
// sender wrote, the attribute must stay in the map, which comes first. The fields
// that say when a column was derived are here, and not only in code, so that SQL
// can be made of them.
type Promotion struct {
	// Index is its place in Promotions.
	Index int
	// Attribute is its current name, Formerly are the names it had.
	Attribute string
	Formerly  []string
	// Column stores it; Number says that the column is an integer.
	Column string
	Number bool
	// Resource says that it is an attribute of the resource.
	Resource bool
	// HTTPOnly says that requests that are not HTTP derive the column.
	HTTPOnly bool
	// UnlessHas names attributes that the column may be derived from: beside one
	// of them the column says nothing about the attribute.
	UnlessHas []string
	// UnlessEqual names attributes whose value the column takes where the
	// attribute is absent.
	UnlessEqual []string
	// UnlessMark is the mark of records that derive the column.
	UnlessMark string

	kinds []Kind
	text  func(*Record) *string
	num   func(*Record) uint64
	set   func(*Record, uint64) bool
}

// Promotions are all promoted attributes. Spans have fewer columns than requests
// and keep in their map what they have no column for.
var Promotions = index([]Promotion{
	{Attribute: "service.name", Column: "service", Resource: true, kinds: anyKind, text: func(r *Record) *string { return &r.Service }},
	{Attribute: "service.version", Column: "release", Resource: true, kinds: anyKind, text: func(r *Record) *string { return &r.Release }},
	{Attribute: "service.instance.id", Column: "instance", Resource: true, kinds: anyKind, text: func(r *Record) *string { return &r.Instance }},
	{
		Attribute: "deployment.environment.name", Formerly: []string{"deployment.environment"},
		Column: "env", Resource: true, kinds: anyKind, text: func(r *Record) *string { return &r.Env },
	},
	{
		Attribute: "http.request.method", Formerly: []string{"http.method"},
		Column: "method", kinds: requests, text: func(r *Record) *string { return &r.Method },
	},
	{
		Attribute: "http.route", Column: "route", kinds: requests, HTTPOnly: true, UnlessMark: MarkRouteDerived,
		text: func(r *Record) *string { return &r.Route },
	},
	{
		Attribute: "url.path", Column: "path", kinds: requests, UnlessHas: []string{"url.full", "http.url"},
		text: func(r *Record) *string { return &r.Path },
	},
	{
		Attribute: "http.response.status_code", Formerly: []string{"http.status_code"},
		Column: "status", Number: true, kinds: timed, HTTPOnly: true,
		num: func(r *Record) uint64 { return uint64(r.Status) },
		set: func(r *Record, n uint64) bool {
			if n > 999 {
				return false
			}
			r.Status = uint16(n)
			return true
		},
	},
	{
		Attribute: "user_agent.original", Formerly: []string{"http.user_agent"},
		Column: "user_agent", kinds: timed, text: func(r *Record) *string { return &r.UserAgent },
	},
	{
		Attribute: "client.address", Formerly: []string{"http.client_ip"},
		Column: "client_ip", kinds: timed, UnlessEqual: []string{"net.peer.ip", "net.sock.peer.addr", "network.peer.address"},
		text: func(r *Record) *string { return &r.ClientIP },
	},
	{
		Attribute: "http.request.body.size", Formerly: []string{"http.request_content_length"},
		Column: "request_bytes", Number: true, kinds: timed,
		num: func(r *Record) uint64 { return r.RequestBytes },
		set: func(r *Record, n uint64) bool { r.RequestBytes = n; return true },
	},
	{
		Attribute: "http.response.body.size", Formerly: []string{"http.response_content_length"},
		Column: "response_bytes", Number: true, kinds: timed,
		num: func(r *Record) uint64 { return r.ResponseBytes },
		set: func(r *Record, n uint64) bool { r.ResponseBytes = n; return true },
	},
	{Attribute: "exception.type", Column: "error_type", kinds: events, text: func(r *Record) *string { return &r.ErrorType }},
	{Attribute: "exception.message", Column: "error_message", kinds: events, text: func(r *Record) *string { return &r.ErrorMessage }},
	{Attribute: "exception.stacktrace", Column: "error_stack", kinds: events, text: func(r *Record) *string { return &r.ErrorStack }},
})

// PromotionCount is at least the number of Promotions, for arrays by Index.
const PromotionCount = 16

var (
	anyKind  = []Kind{Request, Span, Event}
	timed    = []Kind{Request, Span}
	requests = []Kind{Request}
	events   = []Kind{Event}
)

// attributeNames and resourceNames find promotions by current and former names.
var attributeNames, resourceNames = names(false), names(true)

func index(all []Promotion) []Promotion {
	if len(all) > PromotionCount {
		panic("record: PromotionCount is less than there are promotions")
	}
	for i := range all {
		all[i].Index = i
	}
	return all
}

func names(resource bool) map[string]*Promotion {
	m := map[string]*Promotion{}
	for i := range Promotions {
		p := &Promotions[i]
		if p.Resource != resource {
			continue
		}
		for _, name := range append([]string{p.Attribute}, p.Formerly...) {
			m[name] = p
		}
	}
	return m
}

// PromotedAttribute finds the promotion of an attribute by a current or former
// name; nil when records of the kind have no column for it.
func PromotedAttribute(k Kind, name string) *Promotion {
	if p := attributeNames[name]; p != nil && p.In(k) {
		return p
	}
	return nil
}

// PromotedResource finds the promotion of a resource attribute; nil when there is
// no column for it.
func PromotedResource(name string) *Promotion { return resourceNames[name] }

// In says whether records of the kind have the column.
func (p *Promotion) In(k Kind) bool { return slices.Contains(p.kinds, k) }

// Set puts a value into the column. It says no where the column could not give
// the same text back: for the empty text, zero, and what is no number.
func (p *Promotion) Set(r *Record, value string) bool {
	if value == "" {
		return false
	}
	if !p.Number {
		*p.text(r) = value
		return true
	}
	n, err := strconv.ParseUint(value, 10, 64)
	return err == nil && value[0] != '0' && p.set(r, n)
}

// Value gives the attribute that the column holds, and whether it holds it
// because a sender gave it.
func (p *Promotion) Value(r *Record) (string, bool) {
	if !p.In(r.Kind) && !p.Resource {
		return "", false
	}
	var v string
	if p.Number {
		if n := p.num(r); n != 0 {
			v = strconv.FormatUint(n, 10)
		}
	} else {
		v = *p.text(r)
	}
	return v, v != "" && !p.derived(r, v)
}

// Holds says whether Value gives value, without making a text of a number.
func (p *Promotion) Holds(r *Record, value string) bool {
	if !p.In(r.Kind) && !p.Resource || value == "" {
		return false
	}
	if p.Number {
		var digits [20]byte
		return string(strconv.AppendUint(digits[:0], p.num(r), 10)) == value && value != "0" && !p.derived(r, value)
	}
	return *p.text(r) == value && !p.derived(r, value)
}

func (p *Promotion) derived(r *Record, v string) bool {
	if p.HTTPOnly && r.Kind == Request && r.SpanKind != "http" {
		return true
	}
	for _, key := range p.UnlessHas {
		if _, ok := r.Attributes.Get(key); ok {
			return true
		}
	}
	for _, key := range p.UnlessEqual {
		if other, ok := r.Attributes.Get(key); ok && other == v {
			return true
		}
	}
	return p.UnlessMark != "" && r.hasMark(p.UnlessMark)
}

func (r *Record) hasMark(mark string) bool {
	for m := range strings.SplitSeq(r.Marks, ",") {
		if m == mark {
			return true
		}
	}
	return false
}

// Attribute gives an attribute by its current name, from the map or from the
// column that holds it.
func (r *Record) Attribute(key string) (string, bool) {
	return r.lookup(r.Attributes, attributeNames, key)
}

// ResourceAttribute is Attribute for those of the resource.
func (r *Record) ResourceAttribute(key string) (string, bool) {
	return r.lookup(r.Resource, resourceNames, key)
}

func (r *Record) lookup(stored Pairs, promoted map[string]*Promotion, key string) (string, bool) {
	if v, ok := stored.Get(key); ok {
		return v, true
	}
	if p := promoted[key]; p != nil && p.Attribute == key {
		return p.Value(r)
	}
	return "", false
}

// restored gives a map with what columns hold put back; nil when it is empty.
func (r *Record) restored(stored Pairs, resource bool) map[string]string {
	m := stored.Map()
	for i := range Promotions {
		p := &Promotions[i]
		if p.Resource != resource {
			continue
		}
		if _, there := m[p.Attribute]; there {
			continue
		}
		if v, ok := p.Value(r); ok {
			if m == nil {
				m = map[string]string{}
			}
			m[p.Attribute] = v
		}
	}
	return m
}
