package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
)

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Parse(pageHTML))

// HTML is the report as one page that needs nothing else.
func (r *Report) HTML() ([]byte, error) {
	type htmlTable struct {
		Title, Note string
		Columns     []string
		Text        int
		Rows        [][]string
	}
	data := struct {
		Head   [][2]string
		Tables []htmlTable
		Plots  []template.HTML
		Notes  []string
	}{Head: r.head(), Plots: r.plots(), Notes: r.notes()}
	for _, t := range r.tables() {
		data.Tables = append(data.Tables, htmlTable{t.title, t.note, t.columns, t.text, t.rows})
	}
	var out bytes.Buffer
	if err := page.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("report as HTML: %w", err)
	}
	return out.Bytes(), nil
}
