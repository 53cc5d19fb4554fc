package deadletter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/deadletter"
)

// List prints the dead letters, as JSON or as a table.
func List(ctx context.Context, w Where, out io.Writer, asJSON bool) (err error) {
	a, err := open(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	list, err := a.list(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(out, list)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(list.Entries) > 0 {
		fmt.Fprintln(t, "ID\tTIME\tPROJECT\tTABLE\tCODE\tITEMS\tBYTES\tREASON")
	}
	for _, e := range list.Entries {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\n", e.ID, e.Time.UTC().Format(time.RFC3339), dash(e.Project), dash(e.Table), e.Code, e.Items, e.Bytes, firstLine(e.Reason))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range list.Damaged {
		fmt.Fprintln(out, "damaged:", list.Damaged[i].Error())
	}
	_, err = fmt.Fprintf(out, "%d dead letters, %d bytes of %d\n", len(list.Entries), list.Bytes, list.MaxBytes)
	return err
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// maxReason is how much of a reason a line of the list shows, in bytes.
const maxReason = 160

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "") + "…"
	}
	return s
}

// shown is what Show prints.
type shown struct {
	deadletter.Entry
	Records []json.RawMessage `json:"records"`
	// Unreadable says why the payload holds no records; it is in Payload then.
	Unreadable string `json:"unreadable,omitempty"`
	Payload    []byte `json:"payload,omitempty"`
}

// Show prints a dead letter with the records in it, as JSON.
func Show(ctx context.Context, w Where, out io.Writer, id string) (err error) {
	a, err := open(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	e, err := a.read(ctx, id)
	if err != nil {
		return err
	}
	s := shown{Entry: e, Records: []json.RawMessage{}}
	batch, err := columns.Decode(e.Payload)
	if err != nil {
		s.Unreadable, s.Payload = err.Error(), e.Payload
		return printJSON(out, s)
	}
	for _, p := range batch.Parts() {
		records := p.Records()
		for i := range records {
			text, err := json.Marshal(records[i].JSON())
			if err != nil {
				return err
			}
			s.Records = append(s.Records, text)
		}
	}
	return printJSON(out, s)
}

// Drop gives dead letters up, Replay offers them to the store again. Both print what
// became of each, and fail if one is still there.
func Drop(ctx context.Context, w Where, out io.Writer, sel deadletter.Selection) error {
	return take(ctx, w, out, sel, "dropped", access.drop)
}

// Replay offers dead letters to the store again; see Drop.
func Replay(ctx context.Context, w Where, out io.Writer, sel deadletter.Selection) error {
	return take(ctx, w, out, sel, "replayed", access.replay)
}

func take(ctx context.Context, w Where, out io.Writer, sel deadletter.Selection, verb string,
	do func(access, context.Context, deadletter.Selection) (deadletter.Outcome, error),
) (err error) {
	if len(sel.IDs) == 0 && !sel.All && !sel.Damaged {
		return errors.New("want ids of dead letters, or --all")
	}
	a, err := open(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	outcome, err := do(a, ctx, sel)
	if err != nil {
		return err
	}
	for _, id := range outcome.Done {
		fmt.Fprintln(out, verb, id)
	}
	if sel.Damaged {
		fmt.Fprintf(out, "forgot %d damaged places\n", outcome.Damaged)
	}
	for _, id := range slices.Sorted(maps.Keys(outcome.Failed)) {
		err = errors.Join(err, fmt.Errorf("%s: %s", id, outcome.Failed[id]))
	}
	return err
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
