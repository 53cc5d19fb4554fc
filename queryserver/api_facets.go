package queryserver

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type facetsInput struct {
	QuestionParams
	KindParam
	Fields string `query:"fields" required:"true" doc:"Fields to count the values of, separated by commas: columns, status_class, or keys of maps such as attributes['plan']. At most 20." example:"status,route,service"`
	Prefix string `query:"prefix" maxLength:"256" doc:"Only values that start with this."`
	Limit  int    `query:"limit" default:"10" minimum:"1" maximum:"1000" doc:"Most values per field, the most frequent."`
}

// Facets is the most frequent values of fields.
type Facets struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Facets []Facet   `json:"facets" doc:"In the order of fields."`
	Sample *Sample   `json:"sample,omitempty" doc:"Absent where every record was read. Otherwise facets whose source is a table of records are estimates."`
	Stats  Stats     `json:"stats"`
}

// Facet is the values of one field.
type Facet struct {
	Field    string       `json:"field"`
	Values   []FacetValue `json:"values" doc:"Most frequent first."`
	Distinct uint64       `json:"distinct" doc:"How many values there are; in a sample, how many were seen."`
	Count    uint64       `json:"count" doc:"Records with a value, those beyond the limit included."`
	Source   string       `json:"source" doc:"Where the counts come from: cnt_h and cnt_m are rollups, facets the rollup of attributes, in which values beyond a key's 256 are (other); journey the index of correlation keys, which knows no weights; requests, spans and events are the records."`
}

// FacetValue is one value and its count.
type FacetValue struct {
	Value    string  `json:"value"`
	Count    uint64  `json:"count" doc:"Stored records."`
	Weighted float64 `json:"weighted,omitempty" doc:"Records that those stand for, an estimate; only where senders sampled."`
	Error    float64 `json:"error,omitempty" doc:"Standard error of count, where it is an estimate from a sample."`
}

const (
	maxFacetFields = 20
	// facetRows is how many rows are read for facets at most; more are sampled. It
	// is what two cores count several columns of in a few hundred milliseconds.
	facetRows = 2_000_000
)

func (a *api) registerFacets(h huma.API) {
	huma.Register(h, get("facets", "facets", "Most frequent values of fields"), a.facets)
}

func (a *api) facets(ctx context.Context, in *facetsInput) (*answer[Facets], error) {
	q := facetsQuestion{project: in.Project, kind: in.kind(), prefix: in.Prefix, limit: in.Limit}
	var err error
	if q.filter, err = a.parseFilter(in.Filter); err != nil {
		return nil, err
	}
	if q.window, err = in.resolve(a.now(), defaultWindow); err != nil {
		return nil, err
	}
	if q.fields, err = parseFields(in.Fields, q.kind, maxFacetFields); err != nil {
		return nil, badParameter("fields", in.Fields, err)
	}
	found, err := a.countValues(ctx, q)
	if err != nil {
		return nil, err
	}
	out := Facets{From: q.window.From, To: q.window.To, Facets: found.facets, Sample: found.sample.label(), Stats: statsOf(found.stats)}
	return &answer[Facets]{Body: out}, nil
}

// valueCounts is what the statements of one question for facets add up to.
type valueCounts struct {
	mu     sync.Mutex
	facets []Facet
	sample sample
	stats  clickhouse.Stats
}

// countValues asks each field of the cheapest table that knows it.
func (a *api) countValues(ctx context.Context, q facetsQuestion) (*valueCounts, error) {
	out := &valueCounts{facets: make([]Facet, len(q.fields)), sample: sample{fraction: 1}}
	for i, f := range q.fields {
		out.facets[i] = Facet{Field: f.name, Values: []FacetValue{}}
	}
	counts, attributes, rows := q.split()
	g, gctx := errgroup.WithContext(ctx)
	ask := func(fields []int, source string, plan func(facetsQuestion) clickhouse.Query) {
		if len(fields) > 0 {
			g.Go(func() error { return a.fill(gctx, out, q, fields, source, sample{fraction: 1}, plan) })
		}
	}
	ask(counts, source(cut(q.window, countLevels, current)), planFacetCounts)
	ask(attributes, "facets", planFacetAttributes)
	if len(attributes) == 0 {
		g.Go(func() error { return a.fillFromRows(gctx, out, q, rows) })
		return out, g.Wait()
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	// A key that is not among the bounded ones has no rollup.
	for _, i := range attributes {
		if out.facets[i].Count == 0 && q.prefix == "" {
			rows = append(rows, i)
		}
	}
	return out, a.fillFromRows(ctx, out, q, rows)
}

// split says which fields the rollups of counts know, which the rollup of
// attributes may know, and which take reading records.
func (q facetsQuestion) split() (counts, attributes, rows []int) {
	onCounts := q.kind == record.Request && rolledUp(q.filter)
	onFacets := onCounts && readsOnly(q.filter, nil) && !slices.ContainsFunc(cut(q.window, facetLevels, current), func(s segment) bool {
		return s.table == "" && s.Span() > facetLevels[0].step
	})
	for i, f := range q.fields {
		switch {
		case onCounts && f.inRollup(rollupColumns):
			counts = append(counts, i)
		case onFacets && f.attribute(q.kind):
			attributes = append(attributes, i)
		default:
			rows = append(rows, i)
		}
	}
	return counts, attributes, rows
}

func (a *api) fillFromRows(ctx context.Context, out *valueCounts, q facetsQuestion, fields []int) error {
	fields, err := a.fillFromJourney(ctx, out, q, fields)
	if err != nil || len(fields) == 0 {
		return err
	}
	n, err := a.rowsToRead(ctx, q.project, q.kind, q.filter, q.window)
	if err != nil {
		return err
	}
	s := sampleOf(q.window, n, facetRows)
	out.mu.Lock()
	out.sample = s
	out.mu.Unlock()
	return a.fill(ctx, out, q, fields, table(q.kind), s, func(q facetsQuestion) clickhouse.Query { return planFacetRows(q, s) })
}

// fill asks one statement for some of the fields.
func (a *api) fill(ctx context.Context, out *valueCounts, q facetsQuestion, fields []int, from string, s sample, plan func(facetsQuestion) clickhouse.Query) error {
	part := q
	part.fields = nil
	for _, i := range fields {
		part.fields = append(part.fields, q.fields[i])
	}
	for _, i := range fields {
		out.facets[i].Source = from
	}
	stats, err := a.ask(ctx, plan(part), func(r *clickhouse.Reader) {
		i, value, count, weight := r.Uint8(), r.String(), r.Uint64(), r.Uint64()
		parts := readStrata(r)
		distinct, all := r.Uint64(), r.Uint64()
		if int(i) >= len(fields) {
			return
		}
		f := &out.facets[fields[i]]
		f.Distinct, f.Count = distinct, s.estimated(all)
		if len(f.Values) == q.limit {
			return
		}
		v := FacetValue{Value: value, Count: s.estimated(count)}
		if isSampled(count, weight) {
			v.Weighted = estimate(weight) / s.fraction
		}
		v.Error = s.standardError(parts)
		f.Values = append(f.Values, v)
	})
	out.mu.Lock()
	defer out.mu.Unlock()
	out.stats.Add(stats)
	return err
}
