package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
)

// Arms of a measurement.
const (
	armWarm   = "warm"            // condition cache emptied before each question
	armCached = "condition cache" // warm, and kept
	armCold   = "cold"            // every cache emptied before each question
	armIngest = "under ingest"    // as armCached, beside ingest and merges
	armRaw    = "no planner"      // SQL of raw rows, warm
)

// Result is how one query went in one arm.
type Result struct {
	Query   string         `json:"query"`
	About   string         `json:"about"`
	Arm     string         `json:"arm"`
	Target  float64        `json:"target_ms,omitempty"`
	Latency sender.Latency `json:"latency"` // of answers, ms
	// RowsRead and BytesRead are means, as the API tells them; 0 where it does not.
	RowsRead  float64 `json:"rows_read"`
	BytesRead float64 `json:"bytes_read"`
	Hits      float64 `json:"hits"` // mean
	Refused   int64   `json:"refused"`
	Wrong     int64   `json:"wrong"`
	// Sample is one thing that was wrong.
	Sample string `json:"sample,omitempty"`
	// Passed says whether p95 keeps the target; absent where nothing is to be kept.
	Passed *bool `json:"passed,omitempty"`

	histogram *hdrhistogram.Histogram
}

// add counts one answer.
func (r *Result) add(a *Ask, got answer, err error) {
	switch {
	case err != nil:
		r.Wrong++
		r.Sample = err.Error()
		return
	case got.refused:
		r.Refused++
		return
	case r.Arm != armRaw && a.Want != unknown && got.hits != a.Want:
		r.Wrong++
		r.Sample = fmt.Sprintf("%s?%s of project %s: want %d hits, got %d", a.Path, a.Params.Encode(), a.Project, a.Want, got.hits)
	}
	sender.Record(r.histogram, got.took.Microseconds())
	n := float64(r.histogram.TotalCount())
	r.RowsRead += (float64(got.rowsRead) - r.RowsRead) / n
	r.BytesRead += (float64(got.bytesRead) - r.BytesRead) / n
	r.Hits += (float64(got.hits) - r.Hits) / n
}

// finish sums up.
func (r *Result) finish() {
	r.Latency = sender.NewLatency(r.histogram)
	// A cold answer has no target, nor one that did without the planner.
	if r.Target == 0 || r.Arm == armCold || r.Arm == armRaw || r.Latency.Count == 0 {
		return
	}
	limit := r.Target
	if r.Arm == armIngest {
		limit *= ingestFactor
	}
	passed := r.Latency.P95 <= limit
	r.Passed = &passed
}

// ingestFactor is by how much p95 may rise under ingest.
const ingestFactor = 2

// arm asks every query repeat times in turn, so that each finds the caches as the
// others leave them, and stops early when the context of until ends.
func (r *run) arm(ctx, until context.Context, name string, repeat int, end time.Time, before func(context.Context) error) ([]*Result, error) {
	if repeat == 0 {
		return nil, nil
	}
	queries, _ := r.chosen()
	jitter := aloneJitter
	if name == armIngest {
		jitter = ingestJitter
	}
	var list []*Result
	asks := make([][]*Ask, 0, len(queries))
	var all []*Ask
	for _, q := range queries {
		list = append(list, &Result{Query: q.Name, About: q.About, Arm: name, Target: q.Target, histogram: sender.NewHistogram()})
		drawn := r.draw(q, repeat+1, end, jitter) // the first one warms up
		asks = append(asks, drawn)
		all = append(all, drawn...)
	}
	if r.options.Verify && name != armIngest && name != armRaw {
		if err := verify(r.records, all); err != nil {
			return nil, err
		}
	}
	for round := range repeat + 1 {
		if name == armCold && round == 0 {
			continue
		}
		for i := range queries {
			if until.Err() != nil && round > 1 {
				break
			}
			ask := asks[i][round]
			if name == armRaw && ask.SQL == "" {
				continue
			}
			if before != nil {
				if err := before(ctx); err != nil {
					return nil, err
				}
			}
			got, err := r.ask(ctx, name, ask)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if round > 0 {
				list[i].add(ask, got, err)
			}
		}
	}
	var kept []*Result
	for _, result := range list {
		if result.finish(); result.Latency.Count+result.Refused+result.Wrong > 0 {
			kept = append(kept, result)
			r.say("%-16s %-18s %s", name, result.Query, result.Latency)
		}
	}
	return kept, nil
}

func (r *run) ask(ctx context.Context, arm string, a *Ask) (answer, error) {
	if arm == armRaw {
		return askSQL(ctx, r.stack.Engine, a.SQL)
	}
	return askAPI(ctx, r.query, a)
}

// alone measures without ingest.
func (r *run) alone(ctx context.Context, out *Report) error {
	o, end := &r.options, r.manifest.End
	pagesKept := false
	for _, arm := range []struct {
		name   string
		repeat int
		before func(context.Context) error
	}{
		{armWarm, o.Repeat, func(ctx context.Context) error { return drop(ctx, r.stack.Engine, conditionCache) }},
		{armCached, o.Repeat, nil},
		{armRaw, o.RawRepeat, nil},
		{armCold, o.ColdRepeat, func(ctx context.Context) error {
			pagesKept = !dropPages() || pagesKept
			return drop(ctx, r.stack.Engine, caches...)
		}},
	} {
		results, err := r.arm(ctx, ctx, arm.name, arm.repeat, end, arm.before)
		if err != nil {
			return fmt.Errorf("%s: %w", arm.name, err)
		}
		out.Results = append(out.Results, results...)
	}
	if pagesKept {
		out.Notes = append(out.Notes, "cold: the page cache of the operating system was kept, for only root may drop it")
	}
	return nil
}

// measure runs every arm.
func (r *run) measure(ctx context.Context, out *Report) (err error) {
	defer func() { err = errors.Join(err, r.stack.Close()) }()
	_, out.NotAvailable = r.chosen()
	if err := r.describe(ctx, out); err != nil {
		return err
	}
	if err := r.alone(ctx, out); err != nil {
		return err
	}
	if r.options.UnderIngest > 0 {
		if err := r.underIngest(ctx, out); err != nil {
			return fmt.Errorf("under ingest: %w", err)
		}
	}
	return r.stack.Restarts()
}
