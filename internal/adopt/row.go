package adopt

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// attributes are a column of attributes: a Map of texts, or a JSON column, whose
// nested objects become dotted names again.
type attributes []attribute

type attribute struct {
	key   string
	value string
	typed any // of a JSON column; nil for a text
}

// UnmarshalJSON keeps attributes sorted by name, so that equal rows give equal
// batches.
func (a *attributes) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return err
	}
	*a = (*a)[:0]
	a.flatten("", object)
	slices.SortFunc(*a, func(x, y attribute) int { return strings.Compare(x.key, y.key) })
	return nil
}

func (a *attributes) flatten(prefix string, object map[string]any) {
	for key, value := range object {
		switch v := value.(type) {
		case nil:
		case map[string]any:
			a.flatten(prefix+key+".", v)
		case string:
			*a = append(*a, attribute{key: prefix + key, value: v})
		default:
			*a = append(*a, attribute{key: prefix + key, typed: v})
		}
	}
}

// copyTo fills a pdata map. The upstream exporter stores every value as text; that
// is how it is sent on, and how Trackway would store it.
func (a attributes) copyTo(m pcommon.Map) {
	m.EnsureCapacity(len(a))
	for _, attr := range a {
		switch v := attr.typed.(type) {
		case nil:
			m.PutStr(attr.key, attr.value)
		case bool:
			m.PutBool(attr.key, v)
		case json.Number:
			if n, err := v.Int64(); err == nil {
				m.PutInt(attr.key, n)
			} else if f, err := v.Float64(); err == nil {
				m.PutDouble(attr.key, f)
			} else {
				m.PutStr(attr.key, v.String())
			}
		default:
			text, err := json.Marshal(v)
			if err != nil {
				text = fmt.Append(nil, v)
			}
			m.PutStr(attr.key, string(text))
		}
	}
}

// traceID and spanID read hexadecimal ids; what is none is the empty id, as a row
// without one has.
func traceID(text string) (id pcommon.TraceID) {
	if b, err := hex.DecodeString(text); err == nil && len(b) == len(id) {
		copy(id[:], b)
	}
	return id
}

func spanID(text string) (id pcommon.SpanID) {
	if b, err := hex.DecodeString(text); err == nil && len(b) == len(id) {
		copy(id[:], b)
	}
	return id
}

func nanos(ns int64) pcommon.Timestamp { return pcommon.NewTimestampFromTime(time.Unix(0, ns)) }

// group tells rows of one resource and scope from others.
func group(parts ...any) string {
	var b strings.Builder
	for _, p := range parts {
		switch v := p.(type) {
		case string:
			fmt.Fprintf(&b, "%d:%s", len(v), v)
		case attributes:
			for _, a := range v {
				fmt.Fprintf(&b, "%d:%s%d:%s%v", len(a.key), a.key, len(a.value), a.value, a.typed)
			}
			b.WriteByte('|')
		}
	}
	return b.String()
}
