package queryserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type groupsInput struct {
	QuestionParams
	KindParam
	By      string `query:"by" required:"true" doc:"One to three fields, separated by commas: columns, status_class, or keys of maps such as attributes['plan']." example:"service,route"`
	Metrics string `query:"metrics" maxLength:"256" doc:"Figures wanted: count, errors, error_rate, rps, bytes, p50, p90, p95, p99. Default: count,error_rate,p50,p95,p99, of events count,error_rate."`
	Sort    string `query:"sort" default:"-count" maxLength:"32" doc:"A figure, or key; with - before it the greatest first." example:"-p95"`
	Limit   int    `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Most groups."`
	Compare string `query:"compare" enum:"previous" doc:"previous: the figures of the period of equal length before, beside."`
}

// Groups is figures by the values of fields.
type Groups struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	By        []string  `json:"by"`
	Groups    []Group   `json:"groups"`
	Truncated bool      `json:"truncated" doc:"There are more than 10,000 groups in a period: those shown are picked among the 10,000 most frequent of it."`
	Total     int       `json:"total" doc:"How many groups there are; of more than 10,000, that many."`
	Source    string    `json:"source" doc:"Table that most of the figures come from; edges always come from records."`
	Stats     Stats     `json:"stats"`
}

// Group is the figures of one combination of values.
type Group struct {
	Key []string `json:"key" doc:"A value for each field; empty where records have none."`
	GroupFigures
	Previous *GroupFigures `json:"previous,omitempty" doc:"In the period before; absent where the group had no records in it."`
}

// GroupFigures are what was asked for of a group; what was not asked for is absent.
// Percentiles come from counts per latency bucket and are off by at most its
// width, an eighth of an octave.
type GroupFigures struct {
	Count     uint64   `json:"count" doc:"Stored records."`
	Weighted  float64  `json:"weighted,omitempty" doc:"Records that count stands for, an estimate; only where senders sampled."`
	Errors    *uint64  `json:"errors,omitempty" doc:"Requests with status 500 and above, spans with span_status error, events of severity 17 and above."`
	ErrorRate *float64 `json:"error_rate,omitempty" doc:"0 to 1"`
	RPS       *float64 `json:"rps,omitempty" doc:"Records per second."`
	Bytes     *uint64  `json:"bytes,omitempty" doc:"Sizes of bodies, of request and response."`
	P50       *float64 `json:"p50_ms,omitempty"`
	P90       *float64 `json:"p90_ms,omitempty"`
	P95       *float64 `json:"p95_ms,omitempty"`
	P99       *float64 `json:"p99_ms,omitempty"`
}

const maxGroupFields = 3

// ranks of the percentiles that can be asked for.
var ranks = map[string]float64{"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}

// groupMetrics are the names of figures.
var groupMetrics = []string{"count", "errors", "error_rate", "rps", "bytes", "p50", "p90", "p95", "p99"}

func (a *api) registerGroups(h huma.API) {
	huma.Register(h, get("groups", "groups", "Figures by the values of fields"), a.groups)
}

func (a *api) groups(ctx context.Context, in *groupsInput) (*answer[Groups], error) {
	q := groupsQuestion{project: in.Project, kind: in.kind(), compare: in.Compare == "previous"}
	var err error
	if q.filter, err = a.parseFilter(in.Filter); err != nil {
		return nil, err
	}
	if q.window, err = in.resolve(a.now(), defaultWindow); err != nil {
		return nil, err
	}
	if q.by, err = parseFields(in.By, q.kind, maxGroupFields); err != nil {
		return nil, badParameter("by", in.By, err)
	}
	metrics, err := parseMetrics(cmp.Or(in.Metrics, defaultMetrics(q.kind)), q.kind)
	if err != nil {
		return nil, badParameter("metrics", in.Metrics, err)
	}
	order, err := parseGroupSort(in.Sort, q.kind)
	if err != nil {
		return nil, badParameter("sort", in.Sort, err)
	}
	wanted := slices.Clone(metrics)
	if order.metric != "" {
		wanted = append(wanted, order.metric)
	}
	q.latencies = slices.ContainsFunc(wanted, func(m string) bool { return ranks[m] != 0 })

	found, err := a.groupFigures(ctx, q)
	if err != nil {
		return nil, err
	}
	out := Groups{From: q.window.From, To: q.window.To, Source: found.source, Stats: statsOf(found.stats)}
	for _, f := range q.by {
		out.By = append(out.By, f.name)
	}
	groups := found.pick(order, in.Limit, &out)
	out.Groups = make([]Group, 0, len(groups))
	for _, g := range groups {
		shown := Group{Key: g.key, GroupFigures: g.period[current].figures(metrics, q.window.Span())}
		if q.compare && g.period[previous].count > 0 {
			before := g.period[previous].figures(metrics, q.window.before().Span())
			shown.Previous = &before
		}
		out.Groups = append(out.Groups, shown)
	}
	return &answer[Groups]{Body: out}, nil
}

// defaultMetrics are the figures of a question that names none; events have no
// duration.
func defaultMetrics(kind record.Kind) string {
	if kind == record.Event {
		return "count,error_rate"
	}
	return "count,error_rate,p50,p95,p99"
}

func parseMetrics(text string, kind record.Kind) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if err := checkMetric(name, kind); err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, nil
}

func checkMetric(name string, kind record.Kind) error {
	if !slices.Contains(groupMetrics, name) {
		return fmt.Errorf("want some of %s, got %q", strings.Join(groupMetrics, ", "), name)
	}
	if kind == record.Event && ranks[name] != 0 {
		return fmt.Errorf("events have no duration, so there is no %s of them", name)
	}
	return nil
}

// groupSort is how groups are put in order; the metric is empty for the key.
type groupSort struct {
	metric     string
	descending bool
}

func parseGroupSort(text string, kind record.Kind) (groupSort, error) {
	name, descending := strings.CutPrefix(text, "-")
	if name == "key" {
		return groupSort{descending: descending}, nil
	}
	if err := checkMetric(name, kind); err != nil {
		return groupSort{}, fmt.Errorf("key, or %w", err)
	}
	return groupSort{metric: name, descending: descending}, nil
}

// groupSums is what is added up for a group in one period.
type groupSums struct {
	count, errors, weight, bytes uint64
	latencies                    []latencyCount
}

// group is the sums of one combination of values.
type group struct {
	key    []string
	period [2]groupSums
}

// groupSet collects the groups of the statements of one question.
type groupSet struct {
	groups map[string]*group
	source string
	stats  clickhouse.Stats
	seen   [2]int // rows of each period
}

func (s *groupSet) at(key []string) *group {
	joined := joinKey(key)
	g := s.groups[joined]
	if g == nil {
		g = &group{key: key}
		s.groups[joined] = g
	}
	return g
}

// joinKey makes one text of values, different ones of different values.
func joinKey(key []string) string {
	var b strings.Builder
	for _, v := range key {
		b.WriteString(strconv.Itoa(len(v)) + ":" + v)
	}
	return b.String()
}

func (a *api) groupFigures(ctx context.Context, q groupsQuestion) (*groupSet, error) {
	set := &groupSet{groups: map[string]*group{}, source: table(q.kind)}
	read := func(r *clickhouse.Reader) (*group, int) {
		period := int(r.Uint8() & 1)
		key := make([]string, len(q.by))
		for i := range key {
			key[i] = r.String()
		}
		return set.at(key), period
	}
	sums := func(r *clickhouse.Reader) *groupSums {
		g, period := read(r)
		set.seen[period]++
		s := &g.period[period]
		s.count, s.errors, s.weight, s.bytes = r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()
		return s
	}
	if !q.onRollups() {
		var err error
		set.stats, err = a.ask(ctx, planGroupRows(q), func(r *clickhouse.Reader) { s := sums(r); s.latencies = readLatencies(r) })
		return set, err
	}
	set.source = source(cut(q.window, countLevels, current))
	if !q.latencies {
		var err error
		set.stats, err = a.ask(ctx, planGroupCounts(q), func(r *clickhouse.Reader) { sums(r) })
		return set, err
	}
	// Both at once; what the second finds is put beside the first afterwards.
	type latencyRow struct {
		key    []string
		period int
		counts []latencyCount
	}
	var latencies []latencyRow
	var stats [2]clickhouse.Stats
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		stats[0], err = a.ask(ctx, planGroupCounts(q), func(r *clickhouse.Reader) { sums(r) })
		return err
	})
	g.Go(func() (err error) {
		stats[1], err = a.ask(ctx, planGroupLatencies(q), func(r *clickhouse.Reader) {
			row := latencyRow{period: int(r.Uint8() & 1), key: make([]string, len(q.by))}
			for i := range row.key {
				row.key[i] = r.String()
			}
			row.counts = readLatencies(r)
			latencies = append(latencies, row)
		})
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, row := range latencies {
		if g := set.groups[joinKey(row.key)]; g != nil {
			g.period[row.period].latencies = row.counts
		}
	}
	set.stats.Add(stats[0])
	set.stats.Add(stats[1])
	return set, nil
}

// pick sorts the groups of the current period and those that were only in the one
// before, and cuts them to the limit.
func (s *groupSet) pick(order groupSort, limit int, out *Groups) []*group {
	all := make([]*group, 0, len(s.groups))
	figure := map[*group]float64{}
	for _, g := range s.groups {
		all = append(all, g)
		figure[g] = g.period[current].metric(order.metric)
	}
	out.Truncated = max(s.seen[current], s.seen[previous]) > maxGroups
	out.Total = min(len(all), maxGroups)
	slices.SortFunc(all, func(a, b *group) int {
		byFigure, byKey := cmp.Compare(figure[a], figure[b]), slices.Compare(a.key, b.key)
		if order.descending {
			byFigure = -byFigure
		}
		if order.metric == "" && order.descending {
			byKey = -byKey
		}
		return cmp.Or(byFigure, byKey)
	})
	return all[:min(len(all), limit)]
}

// metric is a figure to sort by; figures that are not there come last when the
// greatest come first.
func (s *groupSums) metric(name string) float64 {
	switch name {
	case "count", "rps":
		return float64(s.count)
	case "errors":
		return float64(s.errors)
	case "error_rate":
		return s.errorRate()
	case "bytes":
		return float64(s.bytes)
	}
	if rank := ranks[name]; rank != 0 {
		if q := quantiles(s.latencies, rank); len(q) == 1 {
			return q[0]
		}
		return -1
	}
	return 0
}

func (s *groupSums) errorRate() float64 { return float64(s.errors) / float64(max(s.count, 1)) }

// figures gives what was asked for.
func (s *groupSums) figures(metrics []string, span time.Duration) GroupFigures {
	out := GroupFigures{Count: s.count}
	if isSampled(s.count, s.weight) {
		out.Weighted = estimate(s.weight)
	}
	at := map[string]**float64{"p50": &out.P50, "p90": &out.P90, "p95": &out.P95, "p99": &out.P99}
	for _, m := range metrics {
		switch m {
		case "errors":
			out.Errors = &s.errors
		case "bytes":
			out.Bytes = &s.bytes
		case "error_rate":
			out.ErrorRate = ptr(s.errorRate())
		case "rps":
			out.RPS = ptr(float64(s.count) / span.Seconds())
		}
		if target := at[m]; target != nil {
			if q := quantiles(s.latencies, ranks[m]); len(q) == 1 {
				*target = &q[0]
			}
		}
	}
	return out
}
