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

//go:embed users.xml
var usersText []byte

var configurationTemplate = template.Must(template.New("configuration.xml").Parse(configurationText))

// writeConfiguration writes the engine's configuration, and beside it the rights
// of its user, and returns its path.
// It is generated at every start, so it always fits the budget of this one.
func writeConfiguration(directory string, b budget) (string, error) {
	users := filepath.Join(directory, "users.xml")
	if err := os.WriteFile(users, usersText, 0o600); err != nil {
		return "", err
	}
	var text strings.Builder
	if err := configurationTemplate.Execute(&text, struct {
		budget
		Users string
	}{b, users}); err != nil {
		return "", err
	}
	path := filepath.Join(directory, "engine.xml")
	return path, os.WriteFile(path, []byte(text.String()), 0o600)
}
