package otlpmeter

// jsonMeter follows JSON. What an object counts for is told by the name it stands
// under, alone or in an array; those of unknown names count as spans.
type jsonMeter struct {
	bytes   int64
	open    []int64 // what an object counts for in each bracket around
	text    bool    // inside a string
	escaped bool
	named   bool // the last string is the name of what follows
	string  [longestName + 1]byte
	length  int // of the string, or longestName+1
}

const (
	objectBytes  = 240 + pointer
	elementBytes = 16 * inline // of arrays of numbers, and for each field
	longestName  = len("filteredAttributes")
)

// named are the objects that are many and small.
var named = map[string]int64{
	"attributes": keyValue.bytes + pointer, "filteredAttributes": keyValue.bytes + pointer, "metadata": keyValue.bytes + pointer,
	"values": keyValue.bytes + pointer, // those of kvlistValue are more than those of arrayValue
	"value":  anyValue.field + pointer, "arrayValue": arrayValue.bytes + pointer, "kvlistValue": keyValueList.bytes + pointer,
}

// Bytes is what was found so far.
func (j *jsonMeter) Bytes() int64 { return j.bytes }

// Write takes the next bytes.
func (j *jsonMeter) Write(p []byte) (int, error) {
	for i, c := range p {
		if j.text {
			j.inText(c)
			continue
		}
		switch c {
		case '"':
			j.text, j.length = true, 0
		case ':':
			j.named = true
		case '{', '[':
			if len(j.open) >= MaxDepth {
				return i, tooDeep()
			}
			of := j.objects()
			if c == '{' {
				j.bytes += of
			}
			j.open = append(j.open, of)
			j.named = false
		case '}', ']':
			if len(j.open) > 0 {
				j.open = j.open[:len(j.open)-1]
			}
			j.named = false
		case ',':
			j.bytes += elementBytes
			j.named = false
		}
	}
	return len(p), nil
}

// objects is what an object counts for that begins here, or one in an array that
// does.
func (j *jsonMeter) objects() int64 {
	switch {
	case j.named && j.length <= longestName:
		if of, ok := named[string(j.string[:j.length])]; ok {
			return of
		}
	case !j.named && len(j.open) > 0:
		return j.open[len(j.open)-1]
	}
	return objectBytes
}

func (j *jsonMeter) inText(c byte) {
	switch {
	case j.escaped:
		j.escaped = false
	case c == '\\':
		j.escaped = true
	case c == '"':
		j.text = false
		return
	}
	if j.length <= longestName {
		j.string[j.length] = c
		j.length++
	}
}
