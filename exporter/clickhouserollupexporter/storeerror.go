package clickhouserollupexporter

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// storeError is an answer of the store that says no.
type storeError struct {
	// Code is ClickHouse's exception code; 0 when the answer had none.
	Code int
	// Status is the HTTP status.
	Status  int
	Message string
}

func (e *storeError) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("ClickHouse exception %d (HTTP %d): %s", e.Code, e.Status, e.Message)
	}
	return fmt.Sprintf("store answered HTTP %d: %s", e.Status, e.Message)
}

// maxErrorText is how much of an exception's sentence is kept, in bytes.
const maxErrorText = 300

// sentence gives what an exception says, without its code, the version, and the
// stack trace or the steps of the query that follow it; its name stays.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, "Stack trace:")
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, " (version ")
	if _, after, found := strings.Cut(text, "DB::Exception: "); found {
		text = after
	}
	name := exceptionName.FindString(text)
	for _, step := range []string{": While executing", ": while executing", ": while pushing", ": While pushing"} {
		text, _, _ = strings.Cut(text, step)
	}
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	if name != "" && !strings.HasSuffix(text, name) {
		text += " " + name
	}
	return strings.TrimRight(text, " ,")
}

// exceptionName is what ends an exception's text: "(NOT_ENOUGH_SPACE)".
var exceptionName = regexp.MustCompile(`\([A-Z][A-Z_]+\)[ ,]*$`)

// answerError makes an error of an answer, nil when it is a success. Where an
// exception came after the first byte the status is 200 all the same: then the
// header or the text tells.
func answerError(resp *http.Response, text string) error {
	code, _ := strconv.Atoi(resp.Header.Get("X-ClickHouse-Exception-Code"))
	if code == 0 {
		code = codeIn(text)
	}
	if resp.StatusCode == http.StatusOK && code == 0 {
		return nil
	}
	return &storeError{Code: code, Status: resp.StatusCode, Message: sentence(text)}
}

// codeIn finds the code in the text of an exception: "Code: 60. DB::Exception: …".
func codeIn(text string) int {
	i := strings.Index(text, "Code: ")
	if i < 0 || !strings.Contains(text, "Exception") {
		return 0
	}
	digits := text[i+len("Code: "):]
	if j := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); j >= 0 {
		digits = digits[:j]
	}
	code, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return code
}

// ClickHouse's exception codes that decide what happens next
// (src/Common/ErrorCodes.cpp).
const (
	codeUnknownTable    = 60
	codeUnknownDatabase = 81
	codeNotEnoughSpace  = 243
)

// permanentCodes are exceptions that the same block would raise again: it does
// not fit the tables, or the store does not understand the statement. Everything
// else may pass: memory, disk, too many parts, credentials that will be mended.
var permanentCodes = map[int]string{
	10:  "NOT_FOUND_COLUMN_IN_BLOCK",
	16:  "NO_SUCH_COLUMN_IN_TABLE",
	20:  "NUMBER_OF_COLUMNS_DOESNT_MATCH",
	44:  "ILLEGAL_COLUMN",
	47:  "UNKNOWN_IDENTIFIER",
	50:  "UNKNOWN_TYPE",
	53:  "TYPE_MISMATCH",
	62:  "SYNTAX_ERROR",
	73:  "UNKNOWN_FORMAT",
	115: "UNKNOWN_SETTING",
}

// dataCodes are exceptions that some value in the block causes: without it the rest
// could be stored. Under a queue that outlives its senders only these are for good;
// what is wrong with tables or statements can be mended, and the data waits for it.
var dataCodes = map[int]string{
	6:   "CANNOT_PARSE_TEXT",
	27:  "CANNOT_PARSE_INPUT_ASSERTION_FAILED",
	69:  "ARGUMENT_OUT_OF_BOUND",
	70:  "CANNOT_CONVERT_TYPE",
	117: "INCORRECT_DATA",
	131: "TOO_LARGE_STRING_SIZE",
	321: "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE",
	407: "DECIMAL_OVERFLOW",
	469: "VIOLATED_CONSTRAINT",
}

// dataFault says whether a value in the block is at fault.
func dataFault(err error) bool {
	_, ok := dataCodes[errorCode(err)]
	return ok
}

// schemaMismatch says that the store's tables are not those of this release.
type schemaMismatch struct{ err error }

func (e *schemaMismatch) Error() string { return "schema mismatch: " + e.err.Error() }
func (e *schemaMismatch) Unwrap() error { return e.err }

// permanent says whether trying the same again is useless.
func permanent(err error) bool {
	var mismatch *schemaMismatch
	if errors.As(err, &mismatch) {
		return true
	}
	var se *storeError
	if !errors.As(err, &se) {
		return false // the store did not answer
	}
	_, ok := permanentCodes[se.Code]
	return ok || dataFault(err)
}

// schemaGone says whether tables are missing, as after the store was replaced.
func schemaGone(err error) bool {
	var se *storeError
	return errors.As(err, &se) && (se.Code == codeUnknownTable || se.Code == codeUnknownDatabase)
}

// errorCode is the exception code of an error, 0 when the store gave none.
func errorCode(err error) int {
	var se *storeError
	if errors.As(err, &se) {
		return se.Code
	}
	return 0
}
