package requesteventreceiver

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// attributes are the checked parts of an item that become attributes.
type attributes struct {
	free, correlation, requestHeaders, responseHeaders *fastjson.Object

	requestBytes, responseBytes       int64
	hasRequestBytes, hasResponseBytes bool
	requestBody, responseBody         string
	truncated                         bool
	status                            int64
	hasStatus                         bool
}

// checkAttributes reads the fields that become attributes of any type of item.
// What it returns can be written without errors.
func (d *decoder) checkAttributes() (a attributes, lerr *lineError) {
	for _, o := range [...]struct {
		f   field
		dst **fastjson.Object
	}{
		{fieldAttributes, &a.free}, {fieldCorrelation, &a.correlation},
		{fieldRequestHeaders, &a.requestHeaders}, {fieldResponseHeaders, &a.responseHeaders},
	} {
		if *o.dst, lerr = d.object(o.f); lerr != nil {
			return a, lerr
		}
	}
	n := len(d.others) + size(a.free) + size(a.correlation) + size(a.requestHeaders) + size(a.responseHeaders)
	if n > d.limits.maxAttributes {
		return a, rejectLine(reasonTooMany, "attributes: at most %d attributes, headers and correlation keys (max_attributes), got %d", d.limits.maxAttributes, n)
	}
	if a.correlation != nil {
		a.correlation.Visit(func(key []byte, v *fastjson.Value) {
			if t := v.Type(); lerr == nil && (t == fastjson.TypeObject || t == fastjson.TypeArray) {
				lerr = want("correlation."+string(key), "a string, number or boolean", v)
			}
		})
		if lerr != nil {
			return a, lerr
		}
	}
	for _, f := range [...]field{fieldMethod, fieldRoute, fieldPath, fieldRequestID, fieldUserAgent, fieldClientIP} {
		if _, lerr = d.str(f); lerr != nil {
			return a, lerr
		}
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

func size(o *fastjson.Object) int {
	if o == nil {
		return 0
	}
	return o.Len()
}

// body returns a captured body as text: a string as it is, any other JSON as its
// JSON, cut at the limit.
func (d *decoder) body(f field) (_ string, truncated bool) {
	v := d.fields[f]
	if v == nil {
		return "", false
	}
	if v.Type() == fastjson.TypeString {
		return d.limit(view(v.GetStringBytes()))
	}
	pv := pcommon.NewValueEmpty()
	d.value(pv, v)
	return d.limit(pv.AsString())
}

// put writes the attributes of an item: first what the sender named freely, then
// the known fields, which win where both give the same name.
func (d *decoder) put(m pcommon.Map, a *attributes) {
	m.EnsureCapacity(12 + len(d.others) + size(a.free) + size(a.correlation) + size(a.requestHeaders) + size(a.responseHeaders))
	for _, o := range d.others {
		d.value(m.PutEmpty(d.text.copy(o.key)), o.value)
	}
	if a.free != nil {
		a.free.Visit(func(key []byte, v *fastjson.Value) {
			if v.Type() != fastjson.TypeNull {
				d.value(m.PutEmpty(d.text.copy(view(key))), v)
			}
		})
	}
	d.headers(m, conventions.RequestHeaderPrefix, a.requestHeaders)
	d.headers(m, conventions.ResponseHeaderPrefix, a.responseHeaders)
	if a.correlation != nil {
		a.correlation.Visit(func(key []byte, v *fastjson.Value) {
			switch v.Type() {
			case fastjson.TypeNull:
			case fastjson.TypeString:
				m.PutStr(d.join(conventions.CorrelationPrefix, key), d.text.copy(view(v.GetStringBytes())))
			default:
				d.scratch = v.MarshalTo(d.scratch[:0])
				value := d.text.copy(view(d.scratch))
				m.PutStr(d.join(conventions.CorrelationPrefix, key), value)
			}
		})
	}
	d.putStr(m, "http.request.method", fieldMethod)
	d.putStr(m, "http.route", fieldRoute)
	if path, _ := d.str(fieldPath); path != "" {
		path, query, _ := strings.Cut(path, "?")
		m.PutStr("url.path", d.text.copy(path))
		if query != "" {
			m.PutStr("url.query", d.text.copy(query))
		}
	}
	if a.hasStatus {
		m.PutInt("http.response.status_code", a.status)
	}
	d.putStr(m, conventions.RequestID, fieldRequestID)
	d.putStr(m, "user_agent.original", fieldUserAgent)
	d.putStr(m, "client.address", fieldClientIP)
	if a.hasRequestBytes {
		m.PutInt("http.request.body.size", a.requestBytes)
	}
	if a.hasResponseBytes {
		m.PutInt("http.response.body.size", a.responseBytes)
	}
	if a.requestBody != "" {
		m.PutStr(conventions.RequestBody, d.text.copy(a.requestBody))
	}
	if a.responseBody != "" {
		m.PutStr(conventions.ResponseBody, d.text.copy(a.responseBody))
	}
}

func (d *decoder) putStr(m pcommon.Map, name string, f field) {
	if s, _ := d.str(f); s != "" {
		m.PutStr(name, d.text.copy(s))
	}
}

// headers puts headers under the lower-case names of the semantic conventions.
func (d *decoder) headers(m pcommon.Map, prefix string, o *fastjson.Object) {
	if o == nil {
		return
	}
	o.Visit(func(key []byte, v *fastjson.Value) {
		if v.Type() != fastjson.TypeNull {
			name := d.join(prefix, key)
			if !lower(name) {
				name = strings.ToLower(name)
			}
			d.value(m.PutEmpty(name), v)
		}
	})
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

func (d *decoder) join(prefix string, key []byte) string {
	d.scratch = append(append(d.scratch[:0], prefix...), key...)
	return d.text.copy(view(d.scratch))
}

// value converts a JSON value: whole numbers become integers, or their text where
// no int64 holds them, other numbers doubles, and what no double can hold its text. Depth is bounded by the
// parser, width by tooWide.
func (d *decoder) value(dst pcommon.Value, v *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeString:
		dst.SetStr(d.text.copy(view(v.GetStringBytes())))
	case fastjson.TypeNumber:
		d.number(dst, v)
	case fastjson.TypeTrue:
		dst.SetBool(true)
	case fastjson.TypeFalse:
		dst.SetBool(false)
	case fastjson.TypeArray:
		s := dst.SetEmptySlice()
		for _, e := range v.GetArray() {
			d.value(s.AppendEmpty(), e)
		}
	case fastjson.TypeObject:
		m := dst.SetEmptyMap()
		v.GetObject().Visit(func(key []byte, e *fastjson.Value) {
			d.value(m.PutEmpty(d.text.copy(view(key))), e)
		})
	}
}

// whole says whether a number is digits only, perhaps with a sign.
func whole(number []byte) bool {
	digits := bytes.TrimPrefix(number, []byte{'-'})
	return len(digits) > 0 && len(bytes.Trim(digits, "0123456789")) == 0
}

func (d *decoder) number(dst pcommon.Value, v *fastjson.Value) {
	d.scratch = v.MarshalTo(d.scratch[:0])
	if !bytes.ContainsAny(d.scratch, ".eE") {
		if n, err := v.Int64(); err == nil {
			dst.SetInt(n)
			return
		}
		if whole(d.scratch) { // a double would lose its last digits
			dst.SetStr(d.text.copy(view(d.scratch)))
			return
		}
	}
	if f, err := v.Float64(); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		dst.SetDouble(f)
		return
	}
	dst.SetStr(d.text.copy(view(d.scratch)))
}
