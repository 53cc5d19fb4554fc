package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/trackwayhq/trackway/engine/chdb"
)

// formMemory is how much of a form's files is kept in memory; more goes to disk.
const formMemory = 8 << 20

// externalTable is a table sent along with a query as a file of a form. The
// statement sees it as a temporary table.
type externalTable struct {
	name, structure, format string
	open                    func() (io.ReadCloser, error)
}

// readForm reads a multipart/form-data body: its fields are parameters like those
// of the URL, its files external tables. It returns nil for any other body.
func readForm(r *http.Request, values url.Values) ([]externalTable, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		return nil, nil
	}
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, exception(codeBadArguments, "BAD_ARGUMENTS", "Cannot parse the Content-Type: %v", err)
	}
	form, err := multipart.NewReader(r.Body, params["boundary"]).ReadForm(formMemory)
	if err != nil {
		return nil, exception(codeBadArguments, "BAD_ARGUMENTS", "Cannot read the form in the body: %v", err)
	}
	for name, list := range form.Value {
		values[name] = list
	}
	// A part without a file name is a field, unless it comes with a structure: the
	// Go driver sends its tables so.
	parts := map[string]func() (io.ReadCloser, error){}
	for name, files := range form.File {
		parts[name] = func() (io.ReadCloser, error) { return files[0].Open() }
	}
	for name, list := range form.Value {
		if values.Has(name+"_structure") || values.Has(name+"_types") {
			parts[name] = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(list[0])), nil }
			values.Del(name)
		}
	}
	var tables []externalTable
	for name, open := range parts {
		table, err := newExternalTable(name, values, open)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// newExternalTable takes the parameters that describe a table out of values.
func newExternalTable(name string, values url.Values, open func() (io.ReadCloser, error)) (externalTable, error) {
	table := externalTable{name: name, structure: values.Get(name + "_structure"), format: values.Get(name + "_format"), open: open}
	if table.structure == "" {
		for i, column := range splitTypes(values.Get(name + "_types")) {
			table.structure += fmt.Sprintf(", _%d %s", i+1, column)
		}
		table.structure = strings.TrimPrefix(table.structure, ", ")
	}
	if table.structure == "" {
		return table, exception(codeBadArguments, "BAD_ARGUMENTS", "Neither structure nor types have not been provided for external table %s. Use fields %s_structure or %s_types to do so", name, name, name)
	}
	if table.format == "" {
		table.format = "TabSeparated"
	}
	for _, suffix := range []string{"_structure", "_types", "_format"} {
		values.Del(name + suffix)
	}
	return table, nil
}

// splitTypes splits a list of types at its outermost commas.
func splitTypes(list string) []string {
	var types []string
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				types = append(types, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[from:]); last != "" {
		types = append(types, last)
	}
	return types
}

// create makes the temporary table on the connection and fills it.
func (t externalTable) create(conn *chdb.Conn) error {
	if err := conn.Exec("CREATE TEMPORARY TABLE " + quoteName(t.name) + " (" + t.structure + ")"); err != nil {
		return err
	}
	file, err := t.open()
	if err != nil {
		return fmt.Errorf("external table %s: %w", t.name, err)
	}
	defer file.Close()
	stream, err := conn.Insert("INSERT INTO "+quoteName(t.name), t.format, nil)
	if err != nil {
		return err
	}
	defer stream.Close()
	if _, err := io.Copy(stream, file); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	_, err = stream.Finish()
	return err
}
