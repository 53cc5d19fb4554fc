package query

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Bench asks queries.
type Bench struct {
	options Options
	self    string
}

// Run builds what is missing of the set and measures.
func Run(ctx context.Context, o Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	b := &Bench{options: o}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return fmt.Errorf("cannot find the path of this program: %w", err)
	}
	if b.options.Dir, err = filepath.Abs(o.Dir); err != nil {
		return fmt.Errorf("--data %s: %w", o.Dir, err)
	}
	_, err = b.set(ctx)
	return err
}

// say logs a line of progress.
func (b *Bench) say(format string, args ...any) { fmt.Fprintf(b.options.Log, format+"\n", args...) }
