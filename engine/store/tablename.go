package store

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// attachUUID finds a table's id in its definition: ATTACH TABLE _ UUID '…'.
var attachUUID = regexp.MustCompile(`(?m)^ATTACH [A-Z ]*\S+ UUID '([0-9a-f-]{36})'`)

// tableNames maps the directory name (uuid) of tables to database.table, from
// the definitions in metadata/<database>/<table>.sql. It serves messages only,
// so what cannot be read is left out: the directory then stands for the table.
func tableNames(enginePath string) map[string]string {
	out := make(map[string]string)
	files, err := filepath.Glob(filepath.Join(globEscape(enginePath), "metadata", "*", "*.sql"))
	if err != nil {
		return out
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		if m := attachUUID.FindSubmatch(text); m != nil {
			out[string(m[1])] = unescape(filepath.Base(filepath.Dir(f))) + "." + unescape(strings.TrimSuffix(filepath.Base(f), ".sql"))
		}
	}
	return out
}

// tableName is the name of the table in dir for messages.
func tableName(names map[string]string, enginePath, dir string) string {
	if name, ok := names[filepath.Base(dir)]; ok {
		return name
	}
	if rel, err := filepath.Rel(enginePath, dir); err == nil {
		return rel
	}
	return dir
}

// unescape undoes the engine's %XX in file names.
func unescape(name string) string {
	if s, err := url.PathUnescape(name); err == nil {
		return s
	}
	return name
}
