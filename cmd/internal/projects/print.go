package projects

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// NewKey is a key at the one moment when its secret is known.
type NewKey struct {
	metadata.Key
	Secret string `json:"secret"`
	// Replaces is the key that this one takes the place of, nil for a first one.
	Replaces *metadata.Key `json:"replaces,omitempty"`
}

// listedKey adds what follows from a key's times.
type listedKey struct {
	metadata.Key
	State string `json:"state"`
}

// JSON prints a value for programs.
func JSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// KeysJSON prints keys with their states.
func KeysJSON(w io.Writer, keys []metadata.Key, now time.Time) error {
	listed := make([]listedKey, len(keys))
	for i, k := range keys {
		listed[i] = listedKey{k, k.State(now)}
	}
	return JSON(w, listed)
}

// Table prints projects for people.
func Table(w io.Writer, projects []metadata.Project) error {
	t := newTable(w, "ID", "NAME", "STATE", "DAYS KEPT", "LIMITS", "CREATED")
	for _, p := range projects {
		state := "active"
		if !p.Archived.IsZero() {
			state = "archived"
		}
		t.row(p.ID, p.Name, state, strconv.Itoa(p.TTLDays), limits(p.Limits), date(p.Created))
	}
	return t.flush()
}

// limits lists those that are set.
func limits(l metadata.Limits) string {
	var set []string
	for _, limit := range []struct {
		value int64
		unit  string
	}{{l.ItemsPerSecond, "items/s"}, {l.BytesPerSecond, "bytes/s"}, {l.ItemsPerDay, "items/day"}, {l.BytesPerDay, "bytes/day"}} {
		if limit.value > 0 {
			set = append(set, fmt.Sprintf("%d %s", limit.value, limit.unit))
		}
	}
	if len(set) == 0 {
		return "none"
	}
	return strings.Join(set, ", ")
}

// KeysTable prints keys for people.
func KeysTable(w io.Writer, keys []metadata.Key, now time.Time) error {
	t := newTable(w, "ID", "PROJECT", "NAME", "KEY", "STATE", "CREATED", "EXPIRES", "LAST USED")
	for _, k := range keys {
		t.row(k.ID, k.Project, k.Name, k.Prefix+"…", k.State(now), date(k.Created), orNever(k.Expires), orNever(k.LastUsed))
	}
	return t.flush()
}

// Text tells people a new key.
func (k NewKey) Text(w io.Writer) error {
	text := fmt.Sprintf("Key %s (%s) of project %s. It is shown this once and stored nowhere:\n\n  %s\n\n", k.ID, k.Name, k.Project, k.Secret)
	text += "Senders pass it as `Authorization: Bearer KEY` or in the header Trackway-Key."
	if !k.Expires.IsZero() {
		text += " It expires on " + date(k.Expires) + "."
	}
	if k.Replaces != nil {
		text += fmt.Sprintf("\nThe old key %s (%s…) stays valid until %s.", k.Replaces.ID, k.Replaces.Prefix, date(k.Replaces.Expires))
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func orNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return date(t)
}

// table aligns columns.
type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer, head ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(head...)
	return t
}

// row cannot fail before flush: the writer keeps everything until then.
func (t table) row(cells ...string) { fmt.Fprintln(t.w, strings.Join(cells, "\t")) }

func (t table) flush() error { return t.w.Flush() }
