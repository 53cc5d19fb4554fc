package queryserver

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/contrast"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type compareInput struct {
	QuestionParams
	KindParam
	Select     string  `query:"select" doc:"Filter of the selection." example:"status >= 500"`
	SelectFrom string  `query:"select_from" doc:"Start of the selection, as from. Default: from."`
	SelectTo   string  `query:"select_to" doc:"End of the selection, as to. Default: to."`
	MinMS      float64 `query:"min_ms" minimum:"0" maximum:"1e12" doc:"Least duration of the selection in ms, inclusive."`
	MaxMS      float64 `query:"max_ms" minimum:"0" maximum:"1e12" doc:"Greatest duration of the selection in ms, exclusive; 0 for no bound."`
	Limit      int     `query:"limit" default:"50" minimum:"1" maximum:"500" doc:"Most findings."`
}

// Comparison is what sets a selection apart from the rest.
type Comparison struct {
	From      time.Time           `json:"from"`
	To        time.Time           `json:"to"`
	Selection ComparedSide        `json:"selection"`
	Baseline  ComparedSide        `json:"baseline" doc:"The records of filter, from and to that are not in the selection."`
	Findings  []ComparisonFinding `json:"findings" doc:"Values that are more frequent in the selection, the strongest first. Fields that the selection is made by are left out."`
	Statistic string              `json:"statistic" doc:"How findings are ranked, and which are left out."`
	Stats     Stats               `json:"stats"`
}

// ComparedSide is one of the two sets of records.
type ComparedSide struct {
	Records uint64  `json:"records" doc:"How many there are; an estimate where sampled."`
	Read    uint64  `json:"read" doc:"How many the shares are of."`
	Sample  *Sample `json:"sample,omitempty" doc:"Absent where all records were read."`
}

// ComparisonFinding is a value that is over-represented in the selection.
type ComparisonFinding struct {
	Field         string  `json:"field"`
	Value         string  `json:"value"`
	Filter        string  `json:"filter" doc:"The condition, to be added to a filter."`
	Selected      uint64  `json:"selected" doc:"Records read of the selection that have the value."`
	SelectedShare float64 `json:"selected_share" doc:"0 to 1"`
	Baseline      uint64  `json:"baseline" doc:"Records read of the baseline that have it."`
	BaselineShare float64 `json:"baseline_share" doc:"0 to 1"`
	Lift          float64 `json:"lift" doc:"Ratio of the shares; where the baseline has no such record, half a one is taken."`
	Score         float64 `json:"score" doc:"The statistic."`
	PValue        float64 `json:"p_value" doc:"Corrected for the number of values looked at."`
}

const (
	// compareCounted is how many rows are read to estimate how many records a side
	// has. Reading keys of maps, the slowest filter, that takes a quarter second.
	compareCounted = 1_000_000
	// compareScan is how many rows are read to find the records of a side.
	compareScan = 8_000_000
	// compareRows is how many records of a side have their values counted: 1 % of
	// them, the least a finding has, is then known to within a tenth.
	compareRows = 100_000

	compareStatistic = "log-likelihood ratio G of having the value and being selected; at least 5 records and 1 % of the selection, a lift of 1.1, and p ≤ 0.01 after Bonferroni"
)

func (a *api) registerCompare(h huma.API) {
	huma.Register(h, get("compare", "compare", "What sets a selection apart"), a.compare)
}

func (a *api) compare(ctx context.Context, in *compareInput) (*answer[Comparison], error) {
	q, err := a.compareQuestion(in)
	if err != nil {
		return nil, err
	}
	out := Comparison{From: q.window.From, To: q.window.To, Findings: []ComparisonFinding{}, Statistic: compareStatistic}
	c := comparing{api: a, q: q}
	inside, err := c.read(ctx, q.inside(), &out.Selection, nil)
	if err != nil {
		return nil, err
	}
	if out.Selection.Read > 0 {
		candidates := make([]string, 0, len(inside))
		for item := range inside {
			candidates = append(candidates, item)
		}
		outside, err := c.read(ctx, q.rest(), &out.Baseline, candidates)
		if err != nil {
			return nil, err
		}
		if out.Findings, err = findings(q, inside, outside, &out, in.Limit); err != nil {
			return nil, err
		}
	}
	out.Stats = statsOf(c.stats)
	return &answer[Comparison]{Body: out}, nil
}

func (a *api) compareQuestion(in *compareInput) (compareQuestion, error) {
	q := compareQuestion{project: in.Project, kind: in.kind()}
	var err error
	if q.filter, err = a.parseFilter(in.Filter); err != nil {
		return q, err
	}
	if q.selection, err = a.parseFilterOf("select", in.Select); err != nil {
		return q, err
	}
	now := a.now()
	if q.window, err = in.resolve(now, defaultWindow); err != nil {
		return q, err
	}
	q.selected = q.window
	if in.SelectFrom != "" {
		if q.selected.From, err = parseTime(in.SelectFrom, now); err != nil {
			return q, badParameter("select_from", in.SelectFrom, err)
		}
	}
	if in.SelectTo != "" {
		if q.selected.To, err = parseTime(in.SelectTo, now); err != nil {
			return q, badParameter("select_to", in.SelectTo, err)
		}
	}
	q.selected = window{later(q.selected.From, q.window.From), earlier(q.selected.To, q.window.To)}
	if !q.selected.From.Before(q.selected.To) {
		return q, badParameter("select_from", in.SelectFrom, errors.New("the selection lies outside of from and to"))
	}
	if math.IsNaN(in.MinMS) || math.IsNaN(in.MaxMS) { // passes for one within any bounds
		return q, badParameter("min_ms", "", errors.New("want numbers for min_ms and max_ms"))
	}
	q.min, q.max = nanoseconds(in.MinMS), nanoseconds(in.MaxMS)
	switch {
	case q.kind == record.Event && (q.min > 0 || q.max > 0):
		return q, badParameter("min_ms", "", errors.New("events have no duration"))
	case q.max > 0 && q.min >= q.max:
		return q, badParameter("max_ms", strconv.FormatFloat(in.MaxMS, 'g', -1, 64), errors.New("want more than min_ms"))
	case q.selection.Root == nil && q.min == 0 && q.max == 0 && q.selected == q.window:
		return q, badParameter("select", in.Select, errors.New("want a filter, a duration (min_ms, max_ms) or a time (select_from, select_to) that selects some of the records"))
	}
	return q, nil
}

func nanoseconds(ms float64) uint64 { return uint64(math.Round(ms * 1e6)) }

// comparing asks the statements of one comparison, one after the other.
type comparing struct {
	api   *api
	q     compareQuestion
	stats clickhouse.Stats
}

func (c *comparing) ask(ctx context.Context, q clickhouse.Query, row func(*clickhouse.Reader)) error {
	stats, err := c.api.ask(ctx, q, row)
	c.stats.Add(stats)
	return err
}

// read counts the items of a side. How much of it is read follows from how many
// rows would be read for it, and how many records were found among some of them.
func (c *comparing) read(ctx context.Context, s side, out *ComparedSide, candidates []string) (map[string]uint64, error) {
	var rows, n uint64
	err := c.ask(ctx, planCompareScan(c.q, s), func(r *clickhouse.Reader) { rows += readEstimate(r, table(c.q.kind)) })
	if err != nil {
		return nil, err
	}
	counted := sampleOf(s.window, rows, compareCounted)
	if err := c.ask(ctx, planCompareCount(c.q, s, counted), func(r *clickhouse.Reader) { n = r.Uint64() }); err != nil {
		return nil, err
	}
	out.Records = counted.estimated(n)
	in := sampleOf(s.window, rows, compareScan)
	if expected := uint64(float64(out.Records) * in.fraction); expected > compareRows {
		in = sampleOf(s.window, out.Records, compareRows)
	}
	n = min(uint64(float64(out.Records)*in.fraction), compareRows)
	out.Sample = in.label()
	// The estimate is used with room to spare; contrast.Rank knows what was read.
	support := max(contrast.Support(n)/2, contrast.MinSupport)
	if s.outside {
		support = 1
	}
	items := map[string]uint64{}
	err = c.ask(ctx, planCompareItems(c.q, s, in, support, candidates), func(r *clickhouse.Reader) {
		item, count := r.String(), r.Uint64()
		items[item] = count
	})
	if out.Read = items[totalItem]; in.slices == 0 || counted.slices > 0 {
		out.Records = in.estimated(out.Read) // the better estimate
	}
	delete(items, totalItem)
	return items, err
}

func findings(q compareQuestion, inside, outside map[string]uint64, sides *Comparison, limit int) ([]ComparisonFinding, error) {
	values := make([]contrast.Value, 0, len(inside))
	for item, n := range inside {
		name, value, err := parseItem(item)
		if err != nil {
			return nil, err
		}
		if q.defines(name) {
			continue
		}
		values = append(values, contrast.Value{Field: name, Value: value, Selected: n, Baseline: outside[item]})
	}
	out := []ComparisonFinding{}
	for _, f := range contrast.Rank(values, sides.Selection.Read, sides.Baseline.Read) {
		if len(out) == limit {
			break
		}
		out = append(out, ComparisonFinding{
			Field: f.Field, Value: f.Value.Value, Filter: filterOf(f.Field, f.Value.Value),
			Selected: f.Selected, SelectedShare: f.SelectedShare, Baseline: f.Baseline, BaselineShare: f.BaselineShare,
			Lift: f.Lift, Score: f.Score, PValue: f.PValue,
		})
	}
	return out, nil
}

// filterOf writes the condition that a field has a value.
func filterOf(name, value string) string {
	if c := filterColumns[name]; c != nil && c.Type == filter.Uint {
		return name + " = " + value
	}
	return name + " = '" + literalEscapes.Replace(value) + "'"
}

var literalEscapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`)
