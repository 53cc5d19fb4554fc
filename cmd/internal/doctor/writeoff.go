package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/trackwayhq/trackway/internal/clickhouse"
)

// pendingColumn stands for items that are counted as waiting and are not there.
const pendingColumn = "pending"

// writeOff notes in the ledger that what is missing is lost, so that it is known, and
// the next loss is seen: items as dropped for the reason lost, in the minute in which
// this is noted; rows as no longer there. What is too much is not written off.
func (c *checker) writeOff(ctx context.Context, findings []Finding) error {
	now := time.Now()
	for i := range findings {
		f := &findings[i]
		if f.lost <= 0 || f.Repaired {
			continue
		}
		minute, column, value := fmt.Sprintf("toStartOfMinute(toDateTime(%d, 'UTC'))", now.Unix()), "dropped", fmt.Sprintf("map('lost', toInt64(%d))", f.lost)
		if f.column != pendingColumn {
			minute, column, value = fmt.Sprintf("toDateTime(%s, 'UTC')", clickhouse.String(f.Time)), f.column, fmt.Sprintf("toInt64(-%d)", f.lost)
		}
		sql := fmt.Sprintf("INSERT INTO %s.delivery_ledger (project, minute, source, generation, version, %s) SELECT %s, %s, 0, %d, 1, %s",
			c.Database, column, clickhouse.String(f.Project), minute, now.UnixNano()+int64(i), value)
		if _, err := c.Store.Query(ctx, sql); err != nil {
			return fmt.Errorf("writing off: %w", err)
		}
		f.Text += "; written off"
		f.Repaired = true
	}
	return nil
}
