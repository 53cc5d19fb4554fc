package queryserver

import (
	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

// QuestionParams are what most figures are asked with.
type QuestionParams struct {
	ProjectParam
	WindowParams
	Filter string `query:"filter" doc:"Only records that match. Default: everything."`
}

// KindParam chooses the table.
type KindParam struct {
	Kind string `query:"kind" enum:"request,span,event" default:"request" doc:"Which kind of records."`
}

func (k KindParam) kind() record.Kind {
	for _, kind := range anyKind {
		if kind.String() == k.Kind {
			return kind
		}
	}
	return record.Request
}

// matching is the SQL of a filter, to follow other conditions on records of a kind
// within a window: what indexes know of it, and the filter itself.
func matching(e *filter.Expr, kind record.Kind, w window, p *params) string {
	return narrow(filter.Conjuncts(e), kind, w, p) + compileWhere(filter.Conjuncts(e), kind, p)
}

// condition is the SQL of a filter as one expression that is 0 or 1.
func condition(e *filter.Expr, kind record.Kind, p *params) string {
	if e.Root == nil {
		return sqlTrue
	}
	return "(" + compileNode(e.Root, kind, p) + ")"
}

// readsOnly says whether a filter reads no columns but the named ones.
func readsOnly(e *filter.Expr, columns map[string]bool) bool {
	for _, n := range filter.Conjuncts(e) {
		if !filter.ReadsOnly(n, columns) {
			return false
		}
	}
	return true
}

// rolledUp says whether the rollups of counts can answer a filter.
func rolledUp(e *filter.Expr) bool { return readsOnly(e, rollupColumns) }

// latencyColumns are the dimensions of the rollups of latencies.
var latencyColumns = map[string]bool{"service": true, "route": true, "method": true, "type": true}

// matchingSegments binds segments and the filter within them.
func matchingSegments(segments []segment, e *filter.Expr, p *params) []sqlSegment {
	return bindSegments(segments, filter.Conjuncts(e), p)
}

// figureSettings hold for statements that add rows up.
var figureSettings = map[string]string{"precise_float_parsing": "1"}
