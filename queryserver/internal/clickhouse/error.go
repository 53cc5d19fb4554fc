package clickhouse

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Codes of exceptions that callers tell apart. The list is ErrorCodes.cpp of
// ClickHouse.
const (
	codeUnknownTable     = 60
	codeUnknownDatabase  = 81
	codeUnknownSetting   = 115
	codeTimeout          = 159
	codeTooManyQueries   = 202
	codeMemoryLimit      = 241
	codeWrongPassword    = 516
	codeEstimatedTimeout = 160
	codeTooManyRows      = 158
	codeTooManyBytes     = 307
	codeTooBigResult     = 396
)

// Exception is an error that the store answered.
type Exception struct {
	Code    int
	Message string
	// QueryID is the id under which the store ran the statement.
	QueryID string
}

// Error gives the store's own words.
func (e *Exception) Error() string {
	return fmt.Sprintf("store: code %d: %s (query %s)", e.Code, e.Message, e.QueryID)
}

// ErrUnreachable says that no store answered at the endpoint.
var ErrUnreachable = errors.New("store unreachable")

// IsNoSchema says that the database or a table is not there: nothing has been
// stored yet, since the exporter creates them with its first insert.
func IsNoSchema(err error) bool { return hasCode(err, codeUnknownTable, codeUnknownDatabase) }

// IsTimeout says that the statement took longer than it may.
func IsTimeout(err error) bool { return hasCode(err, codeTimeout, codeEstimatedTimeout) }

// IsOverloaded says that the store has no room for the statement now.
func IsOverloaded(err error) bool { return hasCode(err, codeTooManyQueries, codeMemoryLimit) }

// IsTooMuch says that the statement ran into a limit on rows or bytes that it set
// itself.
func IsTooMuch(err error) bool {
	return hasCode(err, codeTooManyRows, codeTooManyBytes, codeTooBigResult)
}

// IsDenied says that the store refused the user or the password.
func IsDenied(err error) bool { return hasCode(err, codeWrongPassword) }

func hasCode(err error, codes ...int) bool {
	var e *Exception
	if !errors.As(err, &e) {
		return false
	}
	for _, c := range codes {
		if e.Code == c {
			return true
		}
	}
	return false
}

// maxErrorBody bounds what is read of an error answer.
const maxErrorBody = 64 << 10

var exceptionText = regexp.MustCompile(`(?s)Code: (\d+)\. ?(?:DB::Exception: )?(.*)`)

// exception reads an error answer: code in a header, text in the body.
func exception(resp *http.Response, queryID string) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil {
		return fmt.Errorf("%w: reading its error: %w", ErrUnreachable, err)
	}
	e := parseException(strings.TrimSpace(string(body)), queryID)
	if code, _ := strconv.Atoi(resp.Header.Get("X-ClickHouse-Exception-Code")); code != 0 {
		e.Code = code
	}
	if e.Code == 0 {
		return fmt.Errorf("%w: answered %s, which is not how ClickHouse speaks: %s", ErrUnreachable, resp.Status, e.Message)
	}
	return e
}

// parseException reads the text of an exception; without a code in it, Code is 0.
func parseException(text, queryID string) *Exception {
	e := &Exception{Message: text, QueryID: queryID}
	if m := exceptionText.FindStringSubmatch(text); m != nil {
		e.Code, _ = strconv.Atoi(m[1])
		e.Message = m[2]
	}
	return e
}
