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
var statements = template.Must(template.New("sql").
	Option("missingkey=error").
	Funcs(template.FuncMap{
		"bucketLow":  func() int { return schema.BucketLow },
		"bucketHigh": func() int { return schema.BucketHigh },
	}).
	ParseFS(sqlFiles, "sql/*.sql"))

// render fills in one of the statements.
func render(name string, data any) string {
	var b strings.Builder
	if err := statements.ExecuteTemplate(&b, name+".sql", data); err != nil {
		// The data is made in this package, so this is a mistake in the template.
		panic(fmt.Sprintf("statement %s: %v", name, err))
	}
	return strings.TrimSpace(b.String())
}
