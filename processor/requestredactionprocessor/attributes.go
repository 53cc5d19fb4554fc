package requestredactionprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// attributes masks values of m in place, nested ones too, and returns how many.
func (r *redaction) attributes(m pcommon.Map) int {
	n := 0
	for k, v := range m.All() {
		what := r.keys.of(k)
		switch {
		case what == mask:
			n += maskValue(v)
		case v.Type() != pcommon.ValueTypeStr:
			n += r.nested(v)
		case what == look:
			n += r.text(v)
		}
	}
	return n
}

// maskValue replaces a value; one that is masked already or empty is left and not
// counted, so that two processors in a row count once.
func maskValue(v pcommon.Value) int {
	switch {
	case v.Type() == pcommon.ValueTypeEmpty:
		return 0
	case v.Type() == pcommon.ValueTypeStr && (v.Str() == conventions.Mask || v.Str() == ""):
		return 0
	}
	v.SetStr(conventions.Mask)
	return 1
}

// nested looks into maps and slices.
func (r *redaction) nested(v pcommon.Value) int {
	n := 0
	switch v.Type() {
	case pcommon.ValueTypeMap:
		n = r.attributes(v.Map())
	case pcommon.ValueTypeSlice:
		for _, e := range v.Slice().All() {
			n += r.nested(e)
		}
	}
	return n
}

// text looks into a string that is JSON, a form or a URL.
func (r *redaction) text(v pcommon.Value) int {
	s, n := r.keys.text(v.Str())
	if n > 0 {
		v.SetStr(s)
	}
	return n
}
