package doctor

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Print writes the report for a person.
func (r *Report) Print(out io.Writer) {
	for _, s := range r.Equation {
		var dropped []string
		for _, reason := range slices.Sorted(maps.Keys(s.Dropped)) {
			dropped = append(dropped, fmt.Sprintf("%s %d", reason, s.Dropped[reason]))
		}
		if dropped == nil {
			dropped = []string{"0"}
		}
		fmt.Fprintf(out, "project %s\n  received %d = accepted %d + rejected %d\n  accepted %d = stored %d + pending %d + dead letters %d + dropped (%s) + removed in the pipeline %d\n",
			s.Project, s.Received, s.Accepted, s.Rejected, s.Accepted, s.Stored, s.Pending, s.DeadLetter, strings.Join(dropped, ", "), s.Removed)
	}
	fmt.Fprintf(out, "rows of %d minutes counted, what is derived from the rows of %d hours compared\n", r.Minutes, r.Hours)
	for _, n := range r.Notes {
		fmt.Fprintln(out, "note:", n)
	}
	for _, f := range r.Findings {
		word := "mismatch"
		if f.Repaired {
			word = "repaired"
		}
		fmt.Fprintln(out, word+":", strings.Join(slices.DeleteFunc([]string{f.Check, f.Project, f.Table, f.Time}, func(s string) bool { return s == "" }), " ")+":", f.Text)
	}
	if len(r.Findings) == 0 {
		fmt.Fprintln(out, "everything adds up")
	}
}
