package reference

import (
	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/record"
)

// chunkRequests is how many requests are inserted at once, with what belongs to
// them: about as much as a busy collector puts into its greatest units.
const chunkRequests = 100_000

// chunks is how many chunks a set has: Sparse's, the big trace, Main's.
func (s Spec) chunks() int {
	return parts(s.SparseRows()) + 1 + parts(s.Rows)
}

func parts(rows int64) int { return int((rows + chunkRequests - 1) / chunkRequests) }

// chunk fills a batch with the records of one chunk.
func (g *Records) chunk(n int, b *columns.Batch) {
	b.Reset()
	put := func(r *record.Record) {
		b.BeginItem(r.Project)
		b.Append(r)
	}
	sparse := parts(g.spec.SparseRows())
	switch {
	case n < sparse:
		eachOf(n, g.spec.SparseRows(), func(i int64) {
			r := g.SparseRequest(i)
			put(&r)
		})
	case n == sparse:
		for i := range g.spec.BigTraceSpans() {
			r := g.BigSpan(i)
			put(&r)
		}
	default:
		eachOf(n-sparse-1, g.spec.Rows, func(i int64) {
			r := g.Request(i)
			put(&r)
			g.Related(i, &r, put)
		})
	}
}

func eachOf(chunk int, rows int64, f func(i int64)) {
	from := int64(chunk) * chunkRequests
	for i := from; i < min(from+chunkRequests, rows); i++ {
		f(i)
	}
}
