package sqlmode

// Format is how rows are written.
type Format string

// The formats of answers.
const (
	JSON   Format = "json"   // one document: columns with types, rows as arrays
	NDJSON Format = "ndjson" // an object a line
	CSV    Format = "csv"    // names in the first line
)

// storeFormats are the store's names for what is asked of it.
var storeFormats = map[Format]string{JSON: "JSONCompactEachRowWithNamesAndTypes", NDJSON: "JSONEachRow", CSV: "CSVWithNames"}

// ContentType is the media type of answers in the format.
func (f Format) ContentType() string {
	switch f {
	case NDJSON:
		return "application/x-ndjson"
	case CSV:
		return "text/csv; charset=utf-8; header=present"
	}
	return "application/json"
}

// formatSettings keep every value exact: JSON readers take numbers for doubles, so
// integers of 64 bits and more, decimals, NaN and infinities are text.
var formatSettings = map[string]string{
	"output_format_json_quote_64bit_integers":    "1",
	"output_format_json_quote_decimals":          "1",
	"output_format_json_quote_denormals":         "1",
	"output_format_json_escape_forward_slashes":  "0",
	"output_format_json_validate_utf8":           "1",
	"output_format_json_named_tuples_as_objects": "1",
	"date_time_output_format":                    "iso",
}

// lineCounter counts the rows in the bytes of a stream: lines that end outside of
// quotes. In JSON no line break stands within a value.
type lineCounter struct {
	head   uint64 // lines in front that are no rows
	quotes bool   // values may be quoted, as in CSV
	quoted bool
	lines  uint64
}

func newLineCounter(f Format) lineCounter {
	return lineCounter{head: map[Format]uint64{JSON: 2, CSV: 1}[f], quotes: f == CSV}
}

func (c *lineCounter) count(p []byte) {
	for _, b := range p {
		switch {
		case b == '\n' && !c.quoted:
			c.lines++
		case b == '"' && c.quotes:
			c.quoted = !c.quoted
		}
	}
}

func (c *lineCounter) rows() uint64 { return c.lines - min(c.lines, c.head) }
