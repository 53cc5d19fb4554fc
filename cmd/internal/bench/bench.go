package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
	"github.com/trackwayhq/trackway/cmd/internal/machine"
	"github.com/trackwayhq/trackway/cmd/internal/up"
)

// Options of a run.
type Options struct {
	Scenarios []string // names; none is Default
	Seconds   float64  // measured at each point; 0 is the scenario's own
	Warmup    float64  // before that; negative is the scenario's own
	Repeat    int      // runs of each point
	Seed      uint64
	Rate      float64 // items a second of open loops; 0 is the scenario's own
	Gates     bool

	Dir       string // data directories are made below; "" is that of temporary files
	ConfigDir string
	Collector string
	Library   string
	Memory    string
	Profile   string // directory for CPU profiles of the collector; "" takes none

	Version string // of this program
	Command string // line, for the report
	Log     io.Writer
}

// Validate says which option is out of range.
func (o Options) Validate() error {
	switch {
	case !(o.Seconds >= 0 && o.Seconds <= 86400): // NaN neither
		return fmt.Errorf("--seconds: want 0 to 86400, got %g", o.Seconds)
	case o.Repeat < 1 || o.Repeat > 100:
		return fmt.Errorf("--repeat: want 1 to 100, got %d", o.Repeat)
	case !(o.Rate >= 0 && o.Rate <= 10_000_000):
		return fmt.Errorf("--rate: want 0 to 10000000 items a second, got %g", o.Rate)
	}
	for _, name := range o.Scenarios {
		if find(name) == nil {
			return fmt.Errorf("--scenario: want some of %s, got %q", strings.Join(names(), ", "), name)
		}
	}
	return nil
}

// Bench runs scenarios.
type Bench struct {
	options   Options
	self      string
	configDir string
	engine    string // version
}

// ErrFailed says that something measured was wrong, or that a gate did not hold;
// the report says what.
var ErrFailed = errors.New("the benchmark failed")

// Run measures. With an error other than ErrFailed, the report holds the points
// before it, if there are any.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(o.Scenarios) == 0 {
		o.Scenarios = Default
	}
	b := &Bench{options: o}
	r, err := b.prepare()
	if err != nil {
		return nil, err
	}
	defer os.Remove(b.options.Dir) // if nothing was left behind
	problem := b.scenarios(ctx, r)
	r.Versions.Engine = b.engine
	r.Seconds = time.Since(r.StartedAt).Seconds()
	if problem != nil {
		return r, problem
	}
	for _, p := range r.Points {
		if len(p.Wrong) > 0 {
			problem = ErrFailed
		}
	}
	if o.Gates {
		r.Gates = judge(r.Points)
		for _, g := range r.Gates {
			if !g.Passed {
				problem = ErrFailed
			}
		}
	}
	return r, problem
}

// scenarios measures every arm of the scenarios that were asked for.
func (b *Bench) scenarios(ctx context.Context, r *report.Report) error {
	for _, name := range b.options.Scenarios {
		s := find(name)
		first := len(r.Points)
		for _, a := range s.arms(b) {
			a.scenario = s.name
			if a.worth != nil && !a.worth(r.Points[first:]) {
				continue
			}
			point, err := b.repeat(ctx, a)
			if ctx.Err() != nil {
				return fmt.Errorf("%s, %s: interrupted", s.name, a.name)
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, a.name, err)
			}
			r.Points = append(r.Points, point)
		}
	}
	return nil
}

// prepare finds the programs and describes the machine.
func (b *Bench) prepare() (*report.Report, error) {
	var err error
	if b.self, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("cannot find the path of this program: %w", err)
	}
	if b.configDir, err = up.ConfigDir(b.options.ConfigDir); err != nil {
		return nil, err
	}
	base := b.options.Dir
	if base == "" {
		base = os.TempDir()
	}
	if b.options.Dir, err = filepath.Abs(base); err != nil {
		return nil, fmt.Errorf("--data %s: %w", base, err)
	}
	disk, err := machine.DiskOf(existing(b.options.Dir))
	if err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	if err := os.MkdirAll(b.options.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	if b.options.Dir, err = os.MkdirTemp(b.options.Dir, "trackway-bench-*"); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	return &report.Report{
		StartedAt: time.Now().UTC(), Command: b.options.Command, Machine: machine.This(), Disk: disk, LoadBefore: load(),
		Versions: report.Versions{
			Trackway: b.options.Version, Commit: commit(), Collector: b.collectorVersion(), Go: runtime.Version(),
		},
	}, nil
}

// existing is the directory itself, or the closest one above it that is there.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// load is the load average of the last minute.
func load() float64 {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(content), " ")
	l, _ := strconv.ParseFloat(first, 64) // 0 where it is unknown
	return l
}

// commit is the revision this program was built from.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+changes"
		}
	}
	return revision + modified
}

func (b *Bench) collectorVersion() string {
	path := b.options.Collector
	if path == "" {
		path = filepath.Join(filepath.Dir(b.self), "trackway-collector")
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "unknown: " + err.Error()
	}
	return strings.TrimSpace(string(out))
}

// say logs a line of progress.
func (b *Bench) say(format string, args ...any) { fmt.Fprintf(b.options.Log, format+"\n", args...) }

// repeat measures an arm as often as asked and takes medians.
func (b *Bench) repeat(ctx context.Context, a *arm) (*report.Point, error) {
	var runs []*report.Point
	for i := range b.options.Repeat {
		p, err := b.measure(ctx, a)
		if err != nil {
			return nil, err
		}
		b.say("%-12s %-28s %d/%d  %s", a.scenario, a.name, i+1, b.options.Repeat, p.Line())
		runs = append(runs, p)
	}
	return report.Median(runs), nil
}

// engineVersion asks the engine what it is.
func engineVersion(ctx context.Context, e clickhouse.Endpoint) (string, error) {
	rows, err := clickhouse.Ask[struct{ Version string }](ctx, e, "SELECT version() AS version")
	if err != nil || len(rows) != 1 {
		return "", fmt.Errorf("version of the engine: %w", err)
	}
	return rows[0].Version, nil
}
