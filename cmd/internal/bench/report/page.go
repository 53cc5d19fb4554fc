package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"text/tabwriter"
)

// Page is what a benchmark has to say, for a terminal, as Markdown or as HTML.
type Page struct {
	Title  string
	Head   [][2]string // what the figures depend on
	Plots  []template.HTML
	Tables []Table
	Notes  []string
}

// Table is one table of a page.
type Table struct {
	Title   string
	Note    string
	Columns []string
	Text    int // the first columns, which hold text; the others hold numbers
	Rows    [][]string
}

// Markdown is the page as Markdown, without plots.
func (p *Page) Markdown() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n| | |\n| --- | --- |\n", p.Title)
	for _, line := range p.Head {
		fmt.Fprintf(&out, "| %s | %s |\n", line[0], cell(line[1]))
	}
	for _, t := range p.Tables {
		fmt.Fprintf(&out, "\n## %s\n\n", t.Title)
		if t.Note != "" {
			fmt.Fprintf(&out, "%s\n\n", t.Note)
		}
		fmt.Fprintf(&out, "| %s |\n|", strings.Join(t.Columns, " | "))
		for i := range t.Columns {
			if i < t.Text {
				out.WriteString(" --- |")
			} else {
				out.WriteString(" ---: |")
			}
		}
		out.WriteByte('\n')
		for _, row := range t.Rows {
			for _, value := range row {
				fmt.Fprintf(&out, "| %s ", cell(value))
			}
			out.WriteString("|\n")
		}
	}
	if len(p.Notes) > 0 {
		out.WriteString("\n## Notes\n\n")
		for _, note := range p.Notes {
			fmt.Fprintf(&out, "- %s\n", note)
		}
	}
	return out.Bytes()
}

// cell keeps what would end a cell of a table out of it.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) }

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Parse(pageHTML))

// HTML is the page as one file that needs nothing else.
func (p *Page) HTML() ([]byte, error) {
	var out bytes.Buffer
	if err := page.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("report as HTML: %w", err)
	}
	return out.Bytes(), nil
}

// WriteText prints the page for a terminal.
func (p *Page) WriteText(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range p.Head {
		fmt.Fprintf(out, "%s\t%s\n", line[0], line[1])
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, t := range p.Tables {
		fmt.Fprintf(w, "\n%s\n", t.Title)
		out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, strings.Join(t.Columns, "\t"))
		for _, row := range t.Rows {
			fmt.Fprintln(out, strings.Join(row, "\t"))
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	for _, note := range p.Notes {
		if _, err := fmt.Fprintf(w, "\n%s\n", note); err != nil {
			return err
		}
	}
	return nil
}
