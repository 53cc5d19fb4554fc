package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Report says what Open found and did.
type Report struct {
	// Created: the directory is new.
	Created bool
	// Unclean: the previous engine did not close the store. What follows is
	// only filled in then.
	Unclean bool
	// Tables is how many tables have a deduplication log, Records how many
	// records those hold, Elapsed how long the check took.
	Tables  int
	Records int
	Elapsed time.Duration
	// Dropped are the records that no part covers, removed.
	Dropped []Dropped
	// Torn are log files whose last line was cut short, the piece removed.
	Torn []Torn
}

// Dropped is a deduplication record that was removed: its rows are not stored,
// so the sender's retry must be let in.
type Dropped struct {
	// Table is database.table where the engine's metadata names it, else the
	// table's directory.
	Table string
	// Part is the part the record belongs to, BlockID what the engine made of
	// the partition and the insert's token or data.
	Part    string
	BlockID string
	// File is the log's absolute path and Line the record's, from 1.
	File string
	Line int
}

// Torn is a piece of a record at the end of a log.
type Torn struct {
	Table string
	File  string
	Line  int
	Bytes int
}

// mostNamed bounds how many records String names.
const mostNamed = 10

// String is what belongs in the log: one sentence, and the first records that
// were dropped.
func (r Report) String() string {
	switch {
	case r.Created:
		return "new data directory"
	case !r.Unclean:
		return "data directory was closed cleanly"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "data directory was not closed cleanly: checked %d deduplication records of %d tables in %s, dropped %d without a part and %d torn lines",
		r.Records, r.Tables, r.Elapsed.Round(time.Microsecond), len(r.Dropped), len(r.Torn))
	for i, d := range r.Dropped {
		if i == mostNamed {
			fmt.Fprintf(&b, "; and %d more", len(r.Dropped)-i)
			break
		}
		fmt.Fprintf(&b, "; %s part %s (%s:%d)", d.Table, d.Part, filepath.Base(d.File), d.Line)
	}
	return b.String()
}
