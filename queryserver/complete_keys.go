package queryserver

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// counted is a key or a value, and in how many records it is; 0 when that was not
// counted.
type counted struct {
	text  string
	count uint64
}

// askCounted runs a statement that gives texts and counts.
func (a *api) askCounted(ctx context.Context, q clickhouse.Query) ([]counted, clickhouse.Stats, error) {
	var out []counted
	stats, err := a.ask(ctx, q, func(r *clickhouse.Reader) {
		out = append(out, counted{text: r.String(), count: r.Uint64()})
	})
	return out, stats, err
}

// keysOf gives the keys of maps, each map's in the order of their counts.
func (a *api) keysOf(ctx context.Context, q completeQuestion, maps []*filter.Column) ([][]counted, clickhouse.Stats, error) {
	var mu sync.Mutex
	var total clickhouse.Stats
	out := make([][]counted, len(maps))
	g, ctx := errgroup.WithContext(ctx)
	for i, c := range maps {
		g.Go(func() error {
			keys, stats, err := a.keysOfMap(ctx, q, c)
			mu.Lock()
			defer mu.Unlock()
			total.Add(stats)
			out[i] = keys
			return err
		})
	}
	return out, total, g.Wait()
}

func (a *api) keysOfMap(ctx context.Context, q completeQuestion, c *filter.Column) ([]counted, clickhouse.Stats, error) {
	switch {
	case c == correlationColumn:
		return a.correlationKeys(ctx, q)
	case c == attributesColumn && q.kind == record.Request:
		keys, stats, err := a.askCounted(ctx, planCompleteFacetKeys(q))
		if err != nil || len(keys) > 0 {
			return keys, stats, err
		}
	}
	return a.askCounted(ctx, planCompleteRowKeys(q, c))
}

// maxCorrelationKeys is how many correlation keys are found at most. Each takes a
// statement, and a project has about ten.
const maxCorrelationKeys = 50

// correlationKeys goes through the journey from key to key.
func (a *api) correlationKeys(ctx context.Context, q completeQuestion) ([]counted, clickhouse.Stats, error) {
	var out []counted
	var total clickhouse.Stats
	at, inclusive := q.prefix, true
	for len(out) < min(q.limit, maxCorrelationKeys) {
		key := ""
		stats, err := a.ask(ctx, planCompleteJourneyKey(q, at, inclusive), func(r *clickhouse.Reader) { key = r.String() })
		total.Add(stats)
		if err != nil {
			return nil, total, err
		}
		if key == "" || len(key) < len(q.prefix) || key[:len(q.prefix)] != q.prefix {
			break
		}
		out = append(out, counted{text: key})
		at, inclusive = key, false
	}
	return out, total, nil
}
