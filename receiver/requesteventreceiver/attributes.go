package requesteventreceiver

import (
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// attributes are the checked parts of an item that become attributes. Objects are
// nodes; 0 is none.
type attributes struct {
	free, correlation, requestHeaders, responseHeaders uint32

	requestBytes, responseBytes       int64
	hasRequestBytes, hasResponseBytes bool
	requestBody, responseBody         string
	truncated                         bool
	status                            int64
	hasStatus                         bool
	requestKind                       string // of a request only
}

// texts are the fields that become an attribute of the same text.
var texts = [...]struct {
	field field
	name  string
}{
	{fieldMethod, "http.request.method"},
	{fieldRoute, "http.route"},
	{fieldRequestID, conventions.RequestID},
	{fieldUserAgent, "user_agent.original"},
	{fieldClientIP, "client.address"},
}

// checkAttributes reads the fields that become attributes of any type of item.
// What it returns can be written without errors.
func (d *decoder) checkAttributes() (a attributes, lerr *lineError) {
	n := len(d.others)
	for _, o := range [...]struct {
		f   field
		dst *uint32
	}{
		{fieldAttributes, &a.free}, {fieldCorrelation, &a.correlation},
		{fieldRequestHeaders, &a.requestHeaders}, {fieldResponseHeaders, &a.responseHeaders},
	} {
		if *o.dst, lerr = d.object(o.f); lerr != nil {
			return a, lerr
		}
		n += d.size(*o.dst)
	}
	if n > d.limits.maxAttributes {
		return a, rejectLine(reasonTooMany, "attributes: at most %d attributes, headers and correlation keys (max_attributes), got %d", d.limits.maxAttributes, n)
	}
	if a.correlation != 0 {
		for i := range d.children(a.correlation) {
			if n := d.at(i); n.kind == kindObject || n.kind == kindArray {
				return a, d.want("correlation."+d.keyOf(n), "a string, number or boolean", i)
			}
		}
	}
	for i := range texts {
		if _, lerr = d.str(texts[i].field); lerr != nil {
			return a, lerr
		}
	}
	if _, lerr = d.str(fieldPath); lerr != nil {
		return a, lerr
	}
	const maxBytes = 1 << 62
	if a.requestBytes, a.hasRequestBytes, lerr = d.integer(fieldRequestBytes, maxBytes); lerr != nil {
		return a, lerr
	}
	if a.responseBytes, a.hasResponseBytes, lerr = d.integer(fieldResponseBytes, maxBytes); lerr != nil {
		return a, lerr
	}
	var cutRequest, cutResponse bool
	a.requestBody, cutRequest = d.body(fieldRequestBody)
	a.responseBody, cutResponse = d.body(fieldResponseBody)
	a.truncated = cutRequest || cutResponse
	return a, nil
}

// size gives the number of members of an object.
func (d *decoder) size(object uint32) int {
	if object == 0 {
		return 0
	}
	return int(d.at(object).members)
}

// body returns a captured body as text: a string as it is, any other JSON as its
// JSON, cut at the limit.
func (d *decoder) body(f field) (_ string, truncated bool) {
	i := d.fields[f]
	if i == 0 {
		return "", false
	}
	n := d.at(i)
	if n.kind == kindString {
		return d.limit(d.textOf(n))
	}
	v := pcommon.NewValueEmpty()
	d.value(v, i)
	return d.limit(v.AsString())
}

// given says how many attributes a field can become, beside a query.
var given = [numFields]int{
	fieldMethod: 1, fieldRoute: 1, fieldPath: 1, fieldStatus: 1, fieldRequestID: 1, fieldUserAgent: 1, fieldClientIP: 1,
	fieldRequestBytes: 1, fieldResponseBytes: 1, fieldRequestBody: 1, fieldResponseBody: 1, fieldError: 3,
}

// unasked is how many attributes an item can have beside those given: its query,
// kind and marks.
const unasked = 3

// put writes the attributes of an item: first what the sender named freely, then
// the known fields, which win where both give the same name.
func (d *decoder) put(m pcommon.Map, c *common, a *attributes, failure bool) {
	b := &d.attrs
	b.start(unasked + d.given + len(d.others) + d.size(a.free) + d.size(a.correlation) + d.size(a.requestHeaders) + d.size(a.responseHeaders))
	for _, i := range d.others {
		d.value(b.put(d.keyOf(d.at(i))), i)
	}
	if a.free != 0 {
		for i := range d.children(a.free) {
			if n := d.at(i); n.kind != kindNull {
				d.value(b.put(d.keyOf(n)), i)
			}
		}
	}
	d.headers(conventions.RequestHeaderPrefix, a.requestHeaders)
	d.headers(conventions.ResponseHeaderPrefix, a.responseHeaders)
	if a.correlation != 0 {
		for i := range d.children(a.correlation) {
			if n := d.at(i); n.kind != kindNull {
				b.putStr(d.text.join(conventions.CorrelationPrefix, d.keyOf(n), ""), d.textOf(n))
			}
		}
	}
	for i := range texts {
		if s, _ := d.str(texts[i].field); s != "" {
			b.putStr(texts[i].name, s)
		}
	}
	if path, _ := d.str(fieldPath); path != "" {
		path, query, _ := strings.Cut(path, "?")
		b.putStr("url.path", path)
		if query != "" {
			b.putStr("url.query", query)
		}
	}
	if a.hasStatus {
		b.put("http.response.status_code").SetInt(a.status)
	}
	if a.hasRequestBytes {
		b.put("http.request.body.size").SetInt(a.requestBytes)
	}
	if a.hasResponseBytes {
		b.put("http.response.body.size").SetInt(a.responseBytes)
	}
	if a.requestBody != "" {
		b.putStr(conventions.RequestBody, a.requestBody)
	}
	if a.responseBody != "" {
		b.putStr(conventions.ResponseBody, a.responseBody)
	}
	if a.requestKind != "" {
		b.putStr(conventions.RequestKind, a.requestKind)
	}
	c.mark(b)
	if failure && c.failure.present {
		c.failure.exception(b.putStr)
	}
	b.finish(m)
}

// headers puts headers under the lower-case names of the semantic conventions.
func (d *decoder) headers(prefix string, object uint32) {
	if object == 0 {
		return
	}
	for i := range d.children(object) {
		n := d.at(i)
		if n.kind == kindNull {
			continue
		}
		name := d.keyOf(n)
		if !lower(name) {
			name = strings.ToLower(name)
		}
		d.value(d.attrs.put(d.text.join(prefix, name, "")), i)
	}
}

// lower says whether s is certainly in lower case, as the headers of HTTP/2 are.
func lower(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// value converts a JSON value: whole numbers become integers, or their text where
// no int64 holds them, other numbers doubles, and what no double can hold its text.
// Depth and width were bounded by the scanner.
func (d *decoder) value(dst pcommon.Value, i uint32) {
	n := d.at(i)
	switch n.kind {
	case kindString:
		dst.SetStr(d.textOf(n))
	case kindWhole:
		if v, ok := d.wholeOf(n); ok {
			dst.SetInt(v)
		} else { // a double would lose its last digits
			dst.SetStr(d.textOf(n))
		}
	case kindDecimal, kindSpecial:
		if v, ok := d.doubleOf(n); ok {
			dst.SetDouble(v)
		} else {
			dst.SetStr(d.textOf(n))
		}
	case kindTrue, kindFalse:
		dst.SetBool(n.kind == kindTrue)
	case kindArray:
		s := dst.SetEmptySlice()
		s.EnsureCapacity(int(n.members))
		for child := range d.children(i) {
			d.value(s.AppendEmpty(), child)
		}
	case kindObject:
		m := dst.SetEmptyMap()
		m.EnsureCapacity(int(n.members))
		for child := range d.children(i) {
			d.value(m.PutEmpty(d.keyOf(d.at(child))), child)
		}
	case kindNull:
	}
}
