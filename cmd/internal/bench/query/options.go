package query

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/reference"
)

// Options of a run.
type Options struct {
	Dir  string // data directory of the reference set, which is kept
	Rows int64
	Seed uint64 // of the set, and of what is asked

	BuildOnly  bool
	BuildLimit time.Duration // 0 is none
	Optimize   bool          // merge each partition of the set into one part

	Only        []string // names of queries; none is all
	Repeat      int      // times that each is asked, warm
	RawRepeat   int      // times that the store is asked without the planner
	ColdRepeat  int      // times that each is asked with caches dropped
	UnderIngest float64  // events a second; 0 measures alone only
	Minutes     float64  // of ingest
	Verify      bool     // make the whole set again and count what filters must find
	Gates       bool     // fail where a target is missed

	ConfigDir, Collector, Library, Memory string

	Version string // of this program
	Command string // line, for the report
	Log     io.Writer
}

// Limits of Options.
const (
	maxRepeat  = 100_000
	maxMinutes = 24 * 60
	maxIngest  = 1_000_000
)

// Validate says which option is out of range.
func (o *Options) Validate() error {
	for _, r := range []struct {
		flag string
		n    int
	}{{"--repeat", o.Repeat}, {"--raw-repeat", o.RawRepeat}, {"--cold-repeat", o.ColdRepeat}} {
		if r.n < 0 || r.n > maxRepeat {
			return fmt.Errorf("%s: want 0 to %d, got %d", r.flag, maxRepeat, r.n)
		}
	}
	switch {
	case o.Dir == "":
		return fmt.Errorf("--data: want a directory on a disk, which the reference set is built in and kept")
	case o.Rows < reference.MinRows || o.Rows > reference.MaxRows:
		return fmt.Errorf("--rows: want %d to %d, got %d", reference.MinRows, int64(reference.MaxRows), o.Rows)
	case o.BuildLimit < 0:
		return fmt.Errorf("--build-limit: want 0 or a positive duration, got %s", o.BuildLimit)
	case !(o.UnderIngest >= 0 && o.UnderIngest <= maxIngest):
		return fmt.Errorf("--under-ingest: want 0 to %d events a second, got %g", maxIngest, o.UnderIngest)
	case !(o.Minutes > 0 && o.Minutes <= maxMinutes):
		return fmt.Errorf("--minutes: want more than 0 and at most %d, got %g", maxMinutes, o.Minutes)
	}
	known := map[string]bool{}
	for _, q := range Queries() {
		known[q.Name] = true
	}
	for _, name := range o.Only {
		if !known[name] {
			return fmt.Errorf("--query: there is no query %q, see --list", name)
		}
	}
	return nil
}

// ParseRows reads a number of rows such as 100M, 5M, 200k or 250000.
func ParseRows(s string) (int64, error) {
	digits, factor := s, 1.0
	for suffix, f := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if d, found := strings.CutSuffix(s, suffix); found {
			digits, factor = d, f
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n >= 0 && n*factor <= reference.MaxRows) {
		return 0, fmt.Errorf("rows: want a number such as 100M, 5M or 200k, got %q", s)
	}
	return int64(n * factor), nil
}
