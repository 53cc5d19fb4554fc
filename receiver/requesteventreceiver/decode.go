package requesteventreceiver

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// maxValues bounds the JSON values of a line: the parser spends about a hundred
// bytes on each, so that a line of commas would otherwise cost fifty times its
// length in memory.
const maxValues = 16 << 10

// limits are the decoder's part of the configuration.
type limits struct {
	maxBodyBytes  int
	maxAttributes int
	maxAge        time.Duration
	traces, logs  bool // whether a pipeline takes them
}

// decoder turns lines into the items of a batch. It is reused, not shared.
type decoder struct {
	limits limits
	now    time.Time // of the body's arrival
	batch  *batch
	text   arena

	parser  fastjson.Parser
	fields  [numFields]*fastjson.Value
	others  []member // keys that are no fields
	visit   func(key []byte, v *fastjson.Value)
	scratch []byte
}

type member struct {
	key   string
	value *fastjson.Value
}

func newDecoder() *decoder {
	d := &decoder{}
	d.visit = func(key []byte, v *fastjson.Value) {
		if v.Type() == fastjson.TypeNull {
			return
		}
		if f, ok := fieldByName[view(key)]; ok {
			d.fields[f] = v
			return
		}
		d.others = append(d.others, member{view(key), v})
	}
	return d
}

// reset prepares the decoder for a body. Nothing of the last one is kept but
// buffers.
func (d *decoder) reset(l limits, now time.Time) {
	d.limits, d.now = l, now
	d.batch = newBatch()
	d.text = arena{}
}

// line decodes one line and appends its item to the batch. A line that is
// rejected leaves the batch as it was; the request id it gave is returned with
// the error, so that the sender can tell which it was.
func (d *decoder) line(line []byte) (requestID string, _ *lineError) {
	d.fields = [numFields]*fastjson.Value{}
	d.others = d.others[:0]
	if !utf8.Valid(line) {
		return "", rejectLine(reasonInvalidJSON, "line: want UTF-8")
	}
	values := countValues(line)
	if values > maxValues {
		return "", rejectLine(reasonTooMany, "line: want at most %d JSON values", maxValues)
	}
	v, err := d.parser.ParseBytes(line)
	if err != nil {
		if deeper(line, fastjson.MaxDepth) {
			return "", rejectLine(reasonInvalidJSON, "line: want objects and arrays nested at most %d deep", fastjson.MaxDepth)
		}
		return "", rejectLine(reasonInvalidJSON, "line: want one JSON object: %v", err)
	}
	o, err := v.Object()
	if err != nil {
		return "", rejectLine(reasonInvalidJSON, "line: want one JSON object, got %s", describe(v))
	}
	if values > d.limits.maxAttributes && tooWide(v, d.limits.maxAttributes) {
		return "", rejectLine(reasonTooMany, "line: an object of more than %d keys (max_attributes)", d.limits.maxAttributes)
	}
	o.Visit(d.visit)

	lerr := d.item()
	if lerr != nil {
		if id := d.fields[fieldRequestID]; id != nil {
			requestID = cut(string(id.GetStringBytes()), maxGotBytes)
		}
	}
	return requestID, lerr
}

// countValues gives at least the number of values in the line: a rough count
// first and, only if that is over the limit, one that leaves strings out.
func countValues(line []byte) int {
	n := bytes.Count(line, []byte{','}) + bytes.Count(line, []byte{'['}) + bytes.Count(line, []byte{'{'})
	if n <= maxValues {
		return n
	}
	n = 0
	punctuation(line, func(c byte) {
		if c == ',' || c == '[' || c == '{' {
			n++
		}
	})
	return n
}

// deeper says whether objects and arrays are nested deeper than limit.
func deeper(line []byte, limit int) bool {
	depth, deepest := 0, 0
	punctuation(line, func(c byte) {
		switch c {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
	})
	return deepest > limit
}

// punctuation calls visit for the bytes of the line that are in no string.
func punctuation(line []byte, visit func(c byte)) {
	inString, escaped := false, false
	for _, c := range line {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString:
			visit(c)
		}
	}
}

// tooWide says whether an object anywhere in v has more than limit keys. Putting
// a key into a map compares it with those before it.
func tooWide(v *fastjson.Value, limit int) bool {
	switch v.Type() {
	case fastjson.TypeArray:
		for _, e := range v.GetArray() {
			if tooWide(e, limit) {
				return true
			}
		}
	case fastjson.TypeObject:
		o := v.GetObject()
		if o.Len() > limit {
			return true
		}
		wide := false
		o.Visit(func(_ []byte, e *fastjson.Value) { wide = wide || tooWide(e, limit) })
		return wide
	}
	return false
}
