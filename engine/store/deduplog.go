package store

import (
	"bytes"
	"fmt"
)

// Operations of a deduplication log (MergeTreeDeduplicationOp).
const (
	opAdd  = "1" // a block was written under this id
	opDrop = "2" // its part was dropped, the id is free again
)

// record is a line of deduplication_logs/deduplication_log_N.txt, as the
// engine's MergeTreeDeduplicationLog writes it: operation, part name and block
// id, tab separated. The engine reads files by ascending N and lines in order.
type record struct {
	drop    bool
	part    part
	name    string
	blockID string
	line    int // from 1
	raw     []byte
}

// parseLog splits a log file. torn is what stands after the last line break: a
// record whose writing was cut short. A whole line that is no record is an
// error; the engine itself would stop reading there and forget the rest.
func parseLog(file string, data []byte) (records []record, torn []byte, err error) {
	for line := 1; len(data) > 0; line++ {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			return records, data, nil
		}
		raw := data[:end+1]
		data = data[end+1:]
		r, err := parseRecord(raw[:end])
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w: the deduplication log is damaged; restore it from a backup, or move the file away to start without it (batches sent again may then be stored twice)", file, line, err)
		}
		r.line, r.raw = line, raw
		records = append(records, r)
	}
	return records, nil, nil
}

func parseRecord(line []byte) (record, error) {
	fields := bytes.Split(line, []byte{'\t'})
	if len(fields) != 3 {
		return record{}, fmt.Errorf("%d tab separated fields in %q, want operation, part and block id", len(fields), clip(line))
	}
	op := string(fields[0])
	if op != opAdd && op != opDrop {
		return record{}, fmt.Errorf("operation %q, want 1 (add) or 2 (drop)", clip(fields[0]))
	}
	if len(fields[2]) == 0 {
		return record{}, fmt.Errorf("no block id in %q", clip(line))
	}
	p, err := parsePart(string(fields[1]))
	if err != nil {
		return record{}, err
	}
	return record{drop: op == opDrop, part: p, name: string(fields[1]), blockID: string(fields[2])}, nil
}

// logFile is one file of a table's log.
type logFile struct {
	path    string
	records []record
	torn    []byte
}

// uncovered gives the records to remove, per file by line: the block ids that
// the engine would still remember after reading all files and whose part no
// part on disk covers. Ids that a drop record frees again are left alone.
func uncovered(files []logFile, parts []part) map[string]map[int]record {
	type place struct {
		file string
		rec  record
	}
	live := make(map[string][]place)
	for _, f := range files {
		for _, r := range f.records {
			if r.drop {
				delete(live, r.blockID)
			} else {
				live[r.blockID] = append(live[r.blockID], place{f.path, r})
			}
		}
	}
	byPartition := make(map[string][]part)
	for _, p := range parts {
		byPartition[p.partition] = append(byPartition[p.partition], p)
	}
	out := make(map[string]map[int]record)
	for _, places := range live {
		for _, at := range places {
			if isCovered(at.rec.part, byPartition[at.rec.part.partition]) {
				continue
			}
			if out[at.file] == nil {
				out[at.file] = make(map[int]record)
			}
			out[at.file][at.rec.line] = at.rec
		}
	}
	return out
}

func isCovered(p part, parts []part) bool {
	for _, q := range parts {
		if q.covers(p) {
			return true
		}
	}
	return false
}
