package erasure

import (
	"context"
	"fmt"
	"strings"

	"github.com/trackwayhq/trackway/engine/partsearch"
	"github.com/trackwayhq/trackway/internal/erase"
)

// minRawText is the shortest value that is searched for in raw files, in bytes: a
// shorter one stands in them by chance.
const minRawText = 6

// prove searches everything and prints what was searched.
func (o Options) prove(ctx context.Context) error {
	left := false
	searched, err := erase.Prove(ctx, o.Store.Query, o.Subject, o.Erase.Schema)
	if err != nil {
		return err
	}
	for _, s := range searched {
		fmt.Fprintf(o.Out, "searched %s: %d rows, columns %s\n", s.Table, s.Rows, strings.Join(s.Columns, ", "))
		if s.Found > 0 {
			left = true
			fmt.Fprintf(o.Out, "FOUND in %d rows of %s, columns %s: these rows do not carry %s; --mentions erases them too\n",
				s.Found, s.Table, strings.Join(s.Where, ", "), o.Subject.Key)
		}
	}
	if err := o.awaitRemoval(ctx); err != nil {
		return err
	}
	if o.Data != "" {
		found, err := o.searchFiles(ctx)
		if err != nil {
			return err
		}
		left = left || found
	}
	if left {
		return ErrLeft
	}
	fmt.Fprintln(o.Out, "nothing was found")
	return nil
}

func (o Options) awaitRemoval(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	left, err := erase.AwaitRemoval(waiting, o.Store.Query, o.Erase.Schema)
	if err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(o.Out, "%d replaced parts are still on the disk after %s; the server removes them by itself within minutes\n", left, o.Wait)
	}
	return ctx.Err()
}

// searchFiles looks at the files themselves: part files decompressed, others as
// they are.
func (o Options) searchFiles(ctx context.Context) (found bool, err error) {
	var texts [][]byte
	for _, v := range o.Subject.Values {
		if len(v) < minRawText {
			fmt.Fprintf(o.Out, "files were not searched for %q: so short a text stands in them by chance\n", v)
			continue
		}
		texts = append(texts, []byte(v))
	}
	if len(texts) == 0 {
		return false, nil
	}
	for _, directory := range o.directories() {
		report, err := partsearch.Search(ctx, texts, directory)
		if err != nil {
			return found, err
		}
		fmt.Fprintf(o.Out, "searched %s: %d files, %d bytes decompressed; %d bytes of numbers were passed over\n",
			directory, report.Files, report.Bytes, report.Numeric)
		for _, h := range report.Hits {
			found = true
			fmt.Fprintf(o.Out, "FOUND in %s at %d: %q\n", h.Path, h.Offset, h.Around)
		}
	}
	return found, nil
}
