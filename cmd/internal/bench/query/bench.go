package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/machine"
)

// Bench asks queries.
type Bench struct {
	options Options
	self    string
}

// verifyRows is the greatest set that is made again without being asked to.
const verifyRows = 100_000

// Run builds what is missing of the set and measures; the report is nil where only
// the set was wanted. With an error other than ErrFailed, the report holds what was
// measured before it.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	b := &Bench{options: o}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("cannot find the path of this program: %w", err)
	}
	if b.options.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, fmt.Errorf("--data %s: %w", o.Dir, err)
	}
	b.options.Verify = o.Verify || o.Rows <= verifyRows
	out := &Report{StartedAt: time.Now().UTC(), Command: o.Command, Machine: machine.This(), LoadBefore: load()}
	if out.Set, err = b.set(ctx); err != nil || o.BuildOnly {
		return nil, err
	}
	if out.Disk, err = machine.DiskOf(b.options.Dir); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	r, err := b.start(ctx, out.Set)
	if err != nil {
		return nil, err
	}
	err = r.measure(ctx, out)
	out.Seconds = time.Since(out.StartedAt).Seconds()
	return out, errors.Join(err, out.verdict(o.Gates))
}

// load is the load average of the last minute, 0 where it is unknown.
func load() float64 {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(content), " ")
	l, _ := strconv.ParseFloat(first, 64)
	return l
}

// say logs a line of progress.
func (b *Bench) say(format string, args ...any) { fmt.Fprintf(b.options.Log, format+"\n", args...) }
