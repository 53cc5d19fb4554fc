package journalcmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/trackwayhq/trackway/internal/journal"
)

// Salvage makes a journal of what is readable in dir and puts it in its place; the
// old one is kept beside it. It prints what was kept and what was lost.
func Salvage(dir string, maxBytes int64, out io.Writer) error {
	if _, err := os.Stat(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is not there: name a journal's directory, or a data directory with --data", dir)
		}
		return err
	}
	stamp := time.Now().UTC().Format("20060102T150405")
	fresh, kept := dir+".salvaged-"+stamp, dir+".damaged-"+stamp
	report, err := journal.Salvage(dir, fresh, journal.Options{MaxBytes: maxBytes})
	if errors.Is(err, journal.ErrLocked) {
		return fmt.Errorf("%w: stop the collector first", err)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	printReport(out, report)
	if len(report.Lost) == 0 {
		fmt.Fprintln(out, "Nothing was lost; the journal stays as it is.")
		return os.RemoveAll(fresh)
	}
	if err := errors.Join(os.Rename(dir, kept), os.Rename(fresh, dir), syncDir(filepath.Dir(dir))); err != nil {
		return fmt.Errorf("putting the salvaged journal %s in the place of %s: %w", fresh, dir, err)
	}
	_, err = fmt.Fprintf(out, "The salvaged journal is in %s. The damaged one is kept in %s: remove it when nothing in it is needed.\n", dir, kept)
	return err
}

func printReport(out io.Writer, r journal.SalvageReport) {
	fmt.Fprintf(out, "kept: %d keys of %d records in %d segments\n", r.Keys, r.Records, r.Segments)
	for _, l := range r.Lost {
		fmt.Fprintf(out, "lost: %s at offset %d", l.File, l.Offset)
		if l.Bytes > 0 {
			fmt.Fprintf(out, ", %d bytes", l.Bytes)
		}
		if l.Records > 0 {
			fmt.Fprintf(out, ", %d records", l.Records)
		}
		fmt.Fprintf(out, ": %s\n", l.Reason)
	}
}

func syncDir(dir string) error {
	d, err := os.Open(filepath.Clean(dir))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
