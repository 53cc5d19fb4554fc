package ids

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackwayhq/trackway/internal/record"
)

func TestRandomIDsDiffer(t *testing.T) {
	g := NewGenerator()
	seen := map[record.ItemID]bool{}
	for range 10 {
		src, release := g.For("", Traces)
		for i := range 100 {
			seen[src.ID("default", i)] = true
		}
		release()
	}
	assert.Len(t, seen, 1000)
}

func TestBatchIDsAreStableAndDistinct(t *testing.T) {
	g := NewGenerator()
	id := func(batch, project string, s Signal, i int) record.ItemID {
		src, release := g.For(batch, s)
		defer release()
		return src.ID(project, i)
	}
	assert.Equal(t, id("b", "p", Traces, 3), id("b", "p", Traces, 3))
	seen := map[record.ItemID]bool{
		id("b", "p", Traces, 0):  true,
		id("b", "p", Logs, 0):    true,
		id("b", "p", Traces, 1):  true,
		id("b2", "p", Traces, 0): true,
		id("b", "p2", Traces, 0): true,
		id("p", "b", Traces, 0):  true,
	}
	assert.Len(t, seen, 6)
}
