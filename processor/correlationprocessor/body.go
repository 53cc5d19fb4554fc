package correlationprocessor

import (
	"strings"

	"github.com/valyala/fastjson"
)

// maxBody is the longest body that is parsed, in bytes: four times what the
// receiver keeps of one by default.
const maxBody = 64 << 10

// bodies are reused: a parser keeps the memory of the last body.
var bodies fastjson.ParserPool

// bodyPath is a dotted path into a JSON body.
type bodyPath struct {
	key  string // the attribute of the key, with its prefix
	path []string
	rank int
}

func validBodyPath(s string) bool {
	return s != "" && len(s) <= maxURL && !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".") && !strings.Contains(s, "..")
}

// eachBodyValue calls f with what stands at the paths in a JSON body; scalar is
// false for an object or an array. A body that is no JSON, or was cut, has none.
func eachBodyValue(body string, paths []bodyPath, f func(p *bodyPath, value string, scalar bool)) {
	text := strings.TrimLeft(body, " \t\r\n")
	if text == "" || text[0] != '{' && text[0] != '[' || len(text) > maxBody {
		return
	}
	parser := bodies.Get()
	defer bodies.Put(parser)
	root, err := parser.Parse(text)
	if err != nil {
		return
	}
	for i := range paths {
		v := root.Get(paths[i].path...)
		if v == nil {
			continue
		}
		switch v.Type() {
		case fastjson.TypeString:
			// The bytes belong to the parser, which the next body reuses.
			f(&paths[i], string(v.GetStringBytes()), true)
		case fastjson.TypeNumber, fastjson.TypeTrue, fastjson.TypeFalse:
			f(&paths[i], string(v.MarshalTo(nil)), true) // as it was written: no digit is lost
		case fastjson.TypeObject, fastjson.TypeArray:
			f(&paths[i], "", false)
		case fastjson.TypeNull:
		}
	}
}
