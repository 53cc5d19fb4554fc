package engine

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed configuration.xml.tmpl
var configurationText string

var configurationTemplate = template.Must(template.New("configuration.xml").Parse(configurationText))

// writeConfiguration writes the engine's configuration and returns its path.
// It is generated at every start, so it always fits the budget of this one.
func writeConfiguration(directory string, b budget) (string, error) {
	var text strings.Builder
	if err := configurationTemplate.Execute(&text, b); err != nil {
		return "", err
	}
	path := filepath.Join(directory, "engine.xml")
	return path, os.WriteFile(path, []byte(text.String()), 0o600)
}
