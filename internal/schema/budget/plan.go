package budget

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/schema"
)

// Query runs one statement at the store and gives its TabSeparated answer.
type Query func(ctx context.Context, sql string) (string, error)

// Plan is what has to be dropped so that a store is within its limit.
type Plan struct {
	Limit uint64 // bytes
	Used  uint64 // bytes, of the tables or, with a percentage, of the disk
	Drops []Drop
	// Short is how many bytes the store is over its limit when all that may be
	// dropped is gone: what is left is today's.
	Short uint64
}

// Drop is one partition of one table.
type Drop struct {
	Table     string
	Partition string
	LastDay   time.Time // the last day whose records it may hold
	Rollup    bool
	Rows      uint64
	Bytes     uint64
	SQL       string
}

// Make asks a store for its parts and disks and says what is to be dropped. It
// changes nothing.
func Make(ctx context.Context, query Query, o schema.Options, limit Limit) (Plan, error) {
	s, err := look(ctx, query, o)
	if err != nil {
		return Plan{}, err
	}
	return plan(o, s, limit), nil
}

// plan drops groups of partitions, oldest first, until the limit is met.
func plan(o schema.Options, s store, limit Limit) Plan {
	p := Plan{Limit: limit.Bytes}
	if limit.Percent != 0 {
		p.Limit = uint64(float64(s.diskTotal) * limit.Percent / 100)
		p.Used = s.diskUsed
	} else {
		for _, d := range s.partitions {
			p.Used += d.Bytes
		}
	}
	if limit.IsZero() || p.Used <= p.Limit {
		return p
	}
	over := p.Used - p.Limit
	candidates := slices.DeleteFunc(slices.Clone(s.partitions), func(d Drop) bool { return !d.LastDay.Before(s.today) })
	slices.SortStableFunc(candidates, func(a, b Drop) int {
		return cmp.Or(compareBool(a.Rollup, b.Rollup), a.LastDay.Compare(b.LastDay), cmp.Compare(a.Table, b.Table))
	})
	for i := 0; i < len(candidates) && over > 0; {
		group := candidates[i]
		for ; i < len(candidates) && candidates[i].Rollup == group.Rollup && candidates[i].LastDay.Equal(group.LastDay); i++ {
			d := candidates[i]
			d.SQL = dropStatement(o, d)
			p.Drops = append(p.Drops, d)
			over -= min(over, d.Bytes)
		}
	}
	p.Short = over
	return p
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// dropStatement names the partition by its id, which for days and months is their
// digits, on every node.
func dropStatement(o schema.Options, d Drop) string {
	return fmt.Sprintf("ALTER TABLE %s.%s%s DROP PARTITION ID '%s'",
		o.LocalDatabase(), d.Table, o.OnCluster(), strings.ReplaceAll(d.Partition, "-", ""))
}

// lastDay gives the last day of a partition by the expression that makes it.
func lastDay(partitionKey, partition string) (day time.Time, known bool) {
	switch {
	case strings.HasPrefix(partitionKey, "toDate("):
		day, err := time.Parse(time.DateOnly, partition)
		return day, err == nil
	case strings.HasPrefix(partitionKey, "toMonday("):
		day, err := time.Parse(time.DateOnly, partition)
		return day.AddDate(0, 0, 6), err == nil
	case strings.HasPrefix(partitionKey, "toYYYYMM("):
		month, err := time.Parse("200601", partition)
		return month.AddDate(0, 1, -1), err == nil
	}
	return time.Time{}, false
}
