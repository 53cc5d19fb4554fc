package budget

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/schema"
)

// store is what a store says about itself.
type store struct {
	today      time.Time
	partitions []Drop // those that may be dropped once they are old
	diskTotal  uint64
	diskUsed   uint64 // without what is already dropped and not yet removed
}

// kept are tables that say what happened to data, which a budget never drops.
var kept = map[string]bool{"delivery_ledger": true, "dropped_partitions": true}

// look reads a store. On a cluster the fullest node counts.
func look(ctx context.Context, query Query, o schema.Options) (store, error) {
	var s store
	answer, err := query(ctx, disksQuery(o))
	if err != nil {
		return s, fmt.Errorf("disk budget: reading the disks: %w", err)
	}
	row := strings.Split(strings.TrimSpace(answer), "\t")
	if len(row) != 3 {
		return s, fmt.Errorf("disk budget: reading the disks: want 3 columns, got %q", answer)
	}
	if s.today, err = time.Parse(time.DateOnly, row[0]); err != nil {
		return s, fmt.Errorf("disk budget: the store's date: %w", err)
	}
	if s.diskTotal, err = strconv.ParseUint(row[1], 10, 64); err != nil {
		return s, fmt.Errorf("disk budget: size of the disk: %w", err)
	}
	if s.diskUsed, err = strconv.ParseUint(row[2], 10, 64); err != nil {
		return s, fmt.Errorf("disk budget: used bytes of the disk: %w", err)
	}
	if answer, err = query(ctx, partitionsQuery(o)); err != nil {
		return s, fmt.Errorf("disk budget: reading the partitions: %w", err)
	}
	for _, row := range clickhouse.Rows(strings.TrimSuffix(answer, "\n")) {
		if len(row) != 6 {
			return s, fmt.Errorf("disk budget: reading the partitions: want 6 columns, got %q", row)
		}
		d := Drop{Table: row[0], Partition: row[1], Rollup: strings.Contains(row[3], "Aggregating") || strings.Contains(row[3], "Summing")}
		var known bool
		if d.LastDay, known = lastDay(row[2], d.Partition); !known || kept[d.Table] {
			continue // not by time, such as the table of versions
		}
		if d.Rows, err = strconv.ParseUint(row[4], 10, 64); err != nil {
			return s, fmt.Errorf("disk budget: rows of %s: %w", d.Table, err)
		}
		if d.Bytes, err = strconv.ParseUint(row[5], 10, 64); err != nil {
			return s, fmt.Errorf("disk budget: bytes of %s: %w", d.Table, err)
		}
		s.partitions = append(s.partitions, d)
	}
	return s, nil
}

// system names a system table of every node.
func system(o schema.Options, table string) string {
	if o.Cluster == "" {
		return "system." + table
	}
	return "clusterAllReplicas('" + o.Cluster + "', system." + table + ")"
}

// disksQuery asks for the date, size and use of the disks that hold the tables.
func disksQuery(o schema.Options) string {
	return fmt.Sprintf(`SELECT toDate(now('UTC')), argMax(total, used / greatest(total, 1)), argMax(used, used / greatest(total, 1)) FROM (
  SELECT host, sum(total_space) AS total, sum(total_space - free_space) - any(dropped) AS used
  FROM (SELECT hostName() AS host, name, total_space, free_space FROM %s) AS d
  INNER JOIN (
    SELECT hostName() AS host, disk_name AS name, sumIf(bytes_on_disk, NOT active) AS dropped FROM %s WHERE database = '%s' GROUP BY host, name
  ) AS p USING (host, name)
  GROUP BY host
)`, system(o, "disks"), system(o, "parts"), o.LocalDatabase())
}

// partitionsQuery asks for all partitions with their sizes.
func partitionsQuery(o schema.Options) string {
	return fmt.Sprintf(`SELECT table, partition, any(partition_key), any(engine), max(rows), max(bytes) FROM (
  SELECT hostName() AS host, table, partition, sum(rows) AS rows, sum(bytes_on_disk) AS bytes
  FROM %s WHERE database = '%s' AND active GROUP BY host, table, partition
) AS p
INNER JOIN (SELECT name AS table, partition_key, engine FROM system.tables WHERE database = '%s') AS t USING (table)
GROUP BY table, partition
ORDER BY table, partition`, system(o, "parts"), o.LocalDatabase(), o.LocalDatabase())
}
