package queryserver

import (
	"context"
	"strings"
	"sync"
	"time"

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

// correlationKeys gives correlation keys by name. They change seldom, and are asked
// for with every letter that is typed, so they are kept for a while.
func (a *api) correlationKeys(ctx context.Context, q completeQuestion) ([]counted, clickhouse.Stats, error) {
	all, kept := a.keys.get(q.project, q.window, a.now())
	var stats clickhouse.Stats
	if !kept {
		var err error
		if all, stats, err = a.walkKeys(ctx, q, ""); err != nil {
			return nil, stats, err
		}
		a.keys.put(q.project, q.window, a.now(), all)
	}
	if len(all) == maxCorrelationKeys && q.prefix != "" {
		// There may be more than were found.
		var more clickhouse.Stats
		var err error
		all, more, err = a.walkKeys(ctx, q, q.prefix)
		stats.Add(more)
		if err != nil {
			return nil, stats, err
		}
	}
	var out []counted
	for _, key := range all {
		if strings.HasPrefix(key, q.prefix) && len(out) < q.limit {
			out = append(out, counted{text: key})
		}
	}
	return out, stats, nil
}

// walkKeys goes through the journey from key to key.
func (a *api) walkKeys(ctx context.Context, q completeQuestion, prefix string) ([]string, clickhouse.Stats, error) {
	var out []string
	var total clickhouse.Stats
	at, inclusive := prefix, true
	for len(out) < maxCorrelationKeys {
		key := ""
		stats, err := a.ask(ctx, planCompleteJourneyKey(q, at, inclusive), func(r *clickhouse.Reader) { key = r.String() })
		total.Add(stats)
		if err != nil {
			return nil, total, err
		}
		if key == "" || !strings.HasPrefix(key, prefix) {
			break
		}
		out = append(out, key)
		at, inclusive = key, false
	}
	return out, total, nil
}

const (
	// keptFor is how long correlation keys are taken for current.
	keptFor = 30 * time.Second
	// maxKept bounds how many lists of them are kept.
	maxKept = 500
)

// keptKeys holds correlation keys by project and window. The zero value is empty.
type keptKeys struct {
	mu    sync.Mutex
	lists map[keptOf]keptList
}

type keptOf struct {
	project  string
	from, to int64
}

type keptList struct {
	keys  []string
	until time.Time
}

func (k *keptKeys) get(project string, w window, now time.Time) ([]string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list, ok := k.lists[keptOf{project, w.From.Unix(), w.To.Unix()}]
	return list.keys, ok && now.Before(list.until)
}

func (k *keptKeys) put(project string, w window, now time.Time, keys []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lists == nil || len(k.lists) >= maxKept {
		k.lists = map[keptOf]keptList{}
	}
	k.lists[keptOf{project, w.From.Unix(), w.To.Unix()}] = keptList{keys: keys, until: now.Add(keptFor)}
}
