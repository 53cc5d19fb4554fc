package store

import (
	"fmt"
	"strconv"
	"strings"
)

// part is what the name of a MergeTree part says (MergeTreePartInfo, format
// version 1): partition_min_max_level, and _mutation after a mutation. Its rows
// are those of the blocks min to max of the partition.
type part struct {
	partition string
	min, max  int64
	level     uint64
	mutated   bool
}

// isInserted tells whether the part is as an INSERT wrote it.
func (p part) isInserted() bool { return p.level == 0 && !p.mutated }

// parsePart reads a part's name. Partition ids have no underscore, save those
// of patch parts, whose partitions are their own.
func parsePart(name string) (part, error) {
	fields := strings.Split(name, "_")
	if len(fields) != 4 && len(fields) != 5 {
		return part{}, fmt.Errorf("part name %q: %d fields, want partition_min_max_level or partition_min_max_level_mutation", name, len(fields))
	}
	p := part{partition: fields[0]}
	var err error
	if p.partition == "" {
		return part{}, fmt.Errorf("part name %q: empty partition", name)
	}
	if p.min, err = strconv.ParseInt(fields[1], 10, 64); err != nil {
		return part{}, fmt.Errorf("part name %q: first block: %w", name, err)
	}
	if p.max, err = strconv.ParseInt(fields[2], 10, 64); err != nil {
		return part{}, fmt.Errorf("part name %q: last block: %w", name, err)
	}
	if p.level, err = strconv.ParseUint(fields[3], 10, 32); err != nil {
		return part{}, fmt.Errorf("part name %q: level: %w", name, err)
	}
	if len(fields) == 5 {
		if _, err := strconv.ParseInt(fields[4], 10, 64); err != nil {
			return part{}, fmt.Errorf("part name %q: mutation: %w", name, err)
		}
		p.mutated = true
	}
	if p.min > p.max {
		return part{}, fmt.Errorf("part name %q: first block after the last", name)
	}
	return p, nil
}

// covers tells whether p holds what q held: it is q, or a merge or mutation of
// it. The engine's MergeTreePartInfo::contains.
func (p part) covers(q part) bool {
	return p.partition == q.partition && p.min <= q.min && p.max >= q.max && p.level >= q.level
}
