package conventions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestValidProject(t *testing.T) {
	for id, want := range map[string]bool{
		"default":               true,
		"a-1":                   true,
		strings.Repeat("a", 40): true,
		strings.Repeat("a", 41): false,
		"":                      false,
		"Shop":                  false,
		"shop/eu":               false,
		"größe":                 false,
	} {
		assert.Equal(t, want, ValidProject(id), "project id %q", id)
	}
}

func TestAddMark(t *testing.T) {
	m := pcommon.NewMap()
	AddMark(m, MarkTruncated)
	AddMark(m, MarkRedacted+":2")
	v, _ := m.Get(Marks)
	assert.Equal(t, "truncated,redacted:2", v.Str())

	m.PutInt(Marks, 7) // a sender's own value of another type is replaced
	AddMark(m, MarkTruncated)
	v, _ = m.Get(Marks)
	assert.Equal(t, "truncated", v.Str())
}
