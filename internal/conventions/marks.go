package conventions

import "go.opentelemetry.io/collector/pdata/pcommon"

// AddMark appends mark to the record's list of marks.
func AddMark(attrs pcommon.Map, mark string) {
	if v, ok := attrs.Get(Marks); ok && v.Type() == pcommon.ValueTypeStr && v.Str() != "" {
		v.SetStr(v.Str() + "," + mark)
		return
	}
	attrs.PutStr(Marks, mark)
}
