package httpapi

import (
	"io"
	"path"
	"slices"
	"strings"

	"github.com/trackwayhq/trackway/engine/sqltext"
)

// The engine's user has no right to read or write files (engine/users.xml). What
// is here are the ways that no right guards, and the calls that could mean
// nothing else, so that they fail before they are taken apart.

// fileCalls are functions, engines and sources that reach files of the account.
// Names are in lower case: function names are not, but a client's own function
// that differs only by case is worth less than a way out.
var fileCalls = map[string]bool{
	"file": true, "filecluster": true, "filelog": true, "filesystem": true, "sqlite": true, "catboostevaluate": true,
	"disk": true, "executable": true, "executablepool": true, "executable_pool": true,
	"iceberglocal": true, "iceberglocalcluster": true, "deltalakelocal": true, "paimonlocal": true,
	"datalakecatalog": true, "yamlregexptree": true,
}

// textCalls take SQL in a string: a structure with default expressions, a
// query of a dictionary's source, a whole statement.
var textCalls = map[string]bool{
	"eval": true, "fuzzquery": true, "queryrunner": true, "clickhouse": true, "format": true, "input": true, "generaterandom": true,
	"values": true, "fuzzjson": true, "loop": true, "remote": true, "remotesecure": true, "dictionary": true, "view": true,
	"url": true, "urlcluster": true, "s3": true, "s3cluster": true, "gcs": true, "oss": true, "cosn": true, "hdfs": true, "hdfscluster": true,
	"azureblobstorage": true, "azureblobstoragecluster": true, "mongodb": true, "redis": true, "ytsaurus": true, "arrowstream": true,
	"iceberg": true, "icebergs3": true, "icebergazure": true, "iceberghdfs": true, "deltalake": true, "deltalakes3": true, "deltalakeazure": true,
	"hudi": true, "paimon": true, "paimons3": true, "paimonazure": true, "paimonhdfs": true,
}

// textSettings hold expressions.
var textSettings = map[string]bool{"additional_table_filters": true, "additional_result_filter": true, "parallel_replicas_custom_key": true, "schema_inference_hints": true}

// schemaSettings name files for formats. A server looks for them in a directory
// of its own.
var schemaSettings = map[string]bool{
	"format_schema": true, "output_format_schema": true, "format_template_resultset": true, "format_template_row": true,
	"rename_files_after_processing": true,
}

// refuseFiles refuses a statement that would reach files beside the store.
func refuseFiles(statement sqltext.Statement, r *request) error {
	if sqltext.HasTypographicQuote(statement.Text) {
		return errTypographic
	}
	calls := sqltext.Calls(statement.Text)
	if !valuesFollow(statement) && statement.Verb != "SET" && statement.HasSequence(interpretSetting) {
		return exception(codeDatabaseAccessDenied, "DATABASE_ACCESS_DENIED", "The setting %s is for INSERT … VALUES only", interpretSetting)
	}
	var texts []string
	if slices.ContainsFunc(calls, func(name string) bool { return textCalls[name] }) {
		texts = sqltext.Literals(statement.Text)
		for _, value := range r.params {
			texts = append(texts, value)
		}
	}
	for _, table := range r.external {
		texts = append(texts, table.structure)
	}
	assigned := sqltext.Assignments(statement.Text)
	for _, s := range r.settings {
		name := strings.ToLower(s.name)
		assigned[name] = append(assigned[name], s.value)
	}
	for name, values := range assigned {
		switch {
		case schemaSettings[name]:
			for _, value := range values {
				if err := checkSchema(name, value); err != nil {
					return err
				}
			}
		case textSettings[name]:
			texts = append(texts, values...)
		}
	}
	if refused := firstFileCall(calls, texts, maxNesting); refused != "" {
		return deniedCall(refused)
	}
	if slices.Contains(calls, "embeddedrocksdb") && len(sqltext.Literals(statement.Text)) > 0 {
		return exception(codeDatabaseAccessDenied, "DATABASE_ACCESS_DENIED", "EmbeddedRocksDB is only given a directory of the store: leave its parameters out")
	}
	return nil
}

var errTypographic = exception(codeSyntaxError, "SYNTAX_ERROR", "Syntax error: typographic quotation marks or blanks outside a string: write those of ASCII")

func deniedCall(name string) error {
	return exception(codeDatabaseAccessDenied, "DATABASE_ACCESS_DENIED", "`%s` would reach files outside the store, which this engine does not give access to", name)
}

// interpretSetting lets values in the format Values be expressions. It is off but
// for rows that come in the request, which valuesReader looks at: those that a
// table function fetches could call anything.
const interpretSetting = "input_format_values_interpret_expressions"

// valuesFollow reports whether rows in the format Values follow the statement.
func valuesFollow(statement sqltext.Statement) bool {
	return statement.HasData && strings.EqualFold(statement.Format, "Values")
}

// valuesReader fails at the first call in rows of the format Values that reaches
// files.
type valuesReader struct {
	io.Reader
	scanner sqltext.CallScanner
	refused error
}

func (v *valuesReader) Read(p []byte) (int, error) {
	if v.refused != nil {
		return 0, v.refused
	}
	n, err := v.Reader.Read(p)
	v.scanner.Scan(p[:n], func(name string) {
		if fileCalls[name] && v.refused == nil {
			v.refused = deniedCall(name)
		}
	})
	if v.refused == nil && v.scanner.Foreign {
		v.refused = errTypographic
	}
	if v.refused != nil {
		return 0, v.refused
	}
	return n, err
}

// maxNesting is how deep strings in strings are looked into.
const maxNesting = 4

// firstFileCall is the first name among the calls, or the calls in the texts,
// that reaches files; "" without one.
func firstFileCall(calls, texts []string, depth int) string {
	for _, name := range calls {
		if fileCalls[name] {
			return name
		}
	}
	if depth == 0 {
		return ""
	}
	for _, text := range texts {
		if name := firstFileCall(sqltext.Calls(text), sqltext.Literals(text), depth-1); name != "" {
			return name
		}
	}
	return ""
}

// checkSchema refuses paths that leave the directory for schemas.
func checkSchema(name, value string) error {
	if path.IsAbs(value) || slices.Contains(strings.Split(value, "/"), "..") {
		return exception(codeBadArguments, "BAD_ARGUMENTS", "Path in the '%s' setting must be inside the directory for schemas: %s", name, value)
	}
	return nil
}
