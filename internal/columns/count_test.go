package columns

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackwayhq/trackway/internal/record"
)

func TestRowsByProjectCountsWhatThePartHolds(t *testing.T) {
	for seed := range uint64(20) {
		s := newSampler(seed)
		projects := 1 + s.IntN(3)
		var b Batch
		for range 1 + s.IntN(50) {
			r := s.record()
			r.Project = []string{"", "shop", "blog"}[s.IntN(projects)]
			b.BeginItem(r.Project)
			b.Append(&r)
		}
		parts := b.Parts()
		for len(parts) > 0 {
			p := parts[0]
			parts = parts[1:]
			want, got := map[string][3]int{}, map[string][3]int{}
			p.eachRow(func(r *record.Record, _ string, _, _ bool) {
				n := want[r.Project]
				n[tableOf(r.Kind)]++
				want[r.Project] = n
			})
			p.RowsByProject(func(project string, requests, spans, events int) {
				assert.NotContains(t, got, project)
				got[project] = [3]int{requests, spans, events}
			})
			assert.Equal(t, want, got, "seed %d", seed)
			if first, second := p.Halves(); second != nil {
				parts = append(parts, first, second)
			}
		}
	}
}
