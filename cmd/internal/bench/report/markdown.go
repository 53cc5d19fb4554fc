package report

import (
	"bytes"
	"fmt"
	"strings"
)

// Markdown is the report as a page of Markdown.
func (r *Report) Markdown() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# trackway bench ingest\n\n| | |\n| --- | --- |\n")
	for _, line := range r.head() {
		fmt.Fprintf(&out, "| %s | %s |\n", line[0], cell(line[1]))
	}
	for _, t := range r.tables() {
		fmt.Fprintf(&out, "\n## %s\n\n", t.title)
		if t.note != "" {
			fmt.Fprintf(&out, "%s\n\n", t.note)
		}
		fmt.Fprintf(&out, "| %s |\n|", strings.Join(t.columns, " | "))
		for i := range t.columns {
			if i < t.text {
				out.WriteString(" --- |")
			} else {
				out.WriteString(" ---: |")
			}
		}
		out.WriteByte('\n')
		for _, row := range t.rows {
			for _, value := range row {
				fmt.Fprintf(&out, "| %s ", cell(value))
			}
			out.WriteString("|\n")
		}
	}
	if notes := r.notes(); len(notes) > 0 {
		out.WriteString("\n## Notes\n\n")
		for _, note := range notes {
			fmt.Fprintf(&out, "- %s\n", note)
		}
	}
	return out.Bytes()
}

// cell keeps what would end a cell of a table out of it.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) }
