package queryserver

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/trackwayhq/trackway/internal/schema"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// statements are the texts under sql/. What is filled in is names of tables and
// columns and compiled conditions, never a value: values are bound parameters.
var statements = parseStatements()

func parseStatements() *template.Template {
	root := template.New("sql").Option("missingkey=error").Funcs(template.FuncMap{
		"bucketLow":  func() int { return schema.BucketLow },
		"bucketHigh": func() int { return schema.BucketHigh },
	})
	entries, err := sqlFiles.ReadDir("sql")
	if err != nil {
		panic(err) // embedded: cannot be missing
	}
	for _, e := range entries {
		text, err := sqlFiles.ReadFile("sql/" + e.Name())
		if err != nil {
			panic(err)
		}
		// Without its last newline, one statement can be set into another.
		template.Must(root.New(e.Name()).Parse(strings.TrimRight(string(text), "\n")))
	}
	return root
}

// render fills in one of the statements.
func render(name string, data any) string {
	var b strings.Builder
	if err := statements.ExecuteTemplate(&b, name+".sql", data); err != nil {
		// The data is made in this package, so this is a mistake in the template.
		panic(fmt.Sprintf("statement %s: %v", name, err))
	}
	return strings.TrimSpace(b.String())
}
