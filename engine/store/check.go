package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

const (
	dedupDir      = "deduplication_logs"
	dedupPrefix   = "deduplication_log_"
	dedupSuffix   = ".txt"
	formatFile    = "format_version.txt"
	partNaming    = "1" // the format version whose part names parsePart reads
	detachedParts = "detached"
)

// check repairs the deduplication logs of every table below the engine's path.
//
// The engine commits a block in this order: it appends the block's record to
// the log, then renames tmp_insert_<part> to <part>. Killed in between it has
// the record and not the rows, and a retry under the same token is answered as
// done already. So a record is only kept if a part on disk holds its block,
// itself or merged. Merges and the rename of a part happen under the same lock
// as the append, so no merge can span a block that was never renamed.
//
// A part that is gone for another reason has no cover either: TTL, DROP
// PARTITION and an emptying merge, for which the engine mostly writes a drop
// record itself, and detached parts. Removing such a record means that the same
// batch, sent again, would be stored again; it does not touch rows.
//
// It reads everything before it changes anything, and each file is replaced
// atomically, so it can be repeated after a crash at any point.
func check(enginePath, staging string, report *Report) error {
	start := time.Now()
	tables, err := findTables(enginePath)
	if err != nil {
		return err
	}
	names := tableNames(enginePath)
	var repairs []repair
	for _, dir := range tables {
		table := tableName(names, enginePath, dir)
		found, err := checkTable(dir, table, report)
		if err != nil {
			return fmt.Errorf("check the deduplication log of %s: %w", table, err)
		}
		repairs = append(repairs, found...)
	}
	for _, r := range repairs {
		if err := replaceFile(r.path, staging, r.data); err != nil {
			return err
		}
	}
	report.Elapsed = time.Since(start)
	return nil
}

// repair is the new content of a log file.
type repair struct {
	path string
	data []byte
}

// findTables lists the directories of tables with a deduplication log:
// store/<3 digits>/<uuid>, and data/<database>/<table> for databases of the old
// Ordinary engine (elsewhere those are symbolic links into store/).
func findTables(enginePath string) ([]string, error) {
	var out []string
	for _, pattern := range []string{"store/*/*", "data/*/*"} {
		logs, err := filepath.Glob(filepath.Join(globEscape(enginePath), pattern, dedupDir))
		if err != nil {
			return nil, fmt.Errorf("look for tables: %w", err)
		}
		for _, l := range logs {
			dir := filepath.Dir(l)
			info, err := os.Lstat(dir)
			if err != nil {
				return nil, fmt.Errorf("look for tables: %w", err)
			}
			if info.IsDir() {
				out = append(out, dir)
			}
		}
	}
	return out, nil
}

// globEscape keeps a data directory's own characters out of the pattern.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func checkTable(dir, table string, report *Report) ([]repair, error) {
	if err := checkPartNaming(dir); err != nil {
		return nil, err
	}
	files, err := readLogs(filepath.Join(dir, dedupDir))
	if err != nil {
		return nil, err
	}
	parts, err := readParts(dir)
	if err != nil {
		return nil, err
	}
	report.Tables++
	drop := uncovered(files, parts)
	var repairs []repair
	for _, f := range files {
		report.Records += len(f.records)
		if len(f.torn) > 0 {
			report.Torn = append(report.Torn, Torn{Table: table, File: f.path, Line: len(f.records) + 1, Bytes: len(f.torn)})
		}
		if len(f.torn) == 0 && len(drop[f.path]) == 0 {
			continue
		}
		r := repair{path: f.path}
		for _, rec := range f.records {
			if _, gone := drop[f.path][rec.line]; gone {
				report.Dropped = append(report.Dropped, Dropped{Table: table, Part: rec.name, BlockID: rec.blockID, File: f.path, Line: rec.line})
				continue
			}
			r.data = append(r.data, rec.raw...)
		}
		repairs = append(repairs, r)
	}
	return repairs, nil
}

// checkPartNaming refuses tables whose part names mean something else.
func checkPartNaming(dir string) error {
	path := filepath.Join(dir, formatFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		// The engine writes this file when it creates the table, before any part.
		return nil
	}
	if err != nil {
		return err
	}
	if got := strings.TrimSpace(string(text)); got != partNaming {
		return fmt.Errorf("%s:1: format version %q, want %s: part names of tables made with the old MergeTree syntax are not understood; recreate the table", path, clip([]byte(got)), partNaming)
	}
	return nil
}

// readLogs reads a table's log files in the order the engine does.
func readLogs(dir string) ([]logFile, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	numbers := make(map[string]uint64, len(entries))
	for _, e := range entries {
		middle, isPrefixed := strings.CutPrefix(e.Name(), dedupPrefix)
		middle, isText := strings.CutSuffix(middle, dedupSuffix)
		n, err := strconv.ParseUint(middle, 10, 64)
		if !isPrefixed || !isText || err != nil {
			return nil, fmt.Errorf("%s: want only files named %sN%s: the engine cannot load the table with it there, move it away", filepath.Join(dir, e.Name()), dedupPrefix, dedupSuffix)
		}
		numbers[e.Name()] = n
	}
	sort.Slice(entries, func(i, j int) bool { return numbers[entries[i].Name()] < numbers[entries[j].Name()] })
	var out []logFile
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		records, torn, err := parseLog(path, data)
		if err != nil {
			return nil, err
		}
		out = append(out, logFile{path: path, records: records, torn: torn})
	}
	return out, nil
}

// readParts lists the parts a table will have when the engine opens it: active
// ones and those merged away but still there, which are covered by active ones.
// Everything else in the directory is not a part: tmp_* and delete_tmp_*
// directories, which the engine removes at start, detached parts, files.
func readParts(dir string) ([]part, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []part
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || name == dedupDir || name == detachedParts || strings.HasPrefix(name, "tmp") || strings.HasPrefix(name, "delete_tmp_") {
			continue
		}
		p, err := parsePart(name)
		if err != nil {
			continue // no part of this table for the engine either
		}
		out = append(out, p)
	}
	return out, nil
}
