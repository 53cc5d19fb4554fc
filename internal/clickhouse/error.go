package clickhouse

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Error is an exception of the server.
type Error struct {
	Code      int // ClickHouse's exception code, 0 when the answer had none
	Status    int // of HTTP
	Message   string
	Statement string // its beginning
}

func (e *Error) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("ClickHouse answered HTTP %d to %s: %s", e.Status, e.Statement, e.Message)
	}
	return fmt.Sprintf("ClickHouse exception %d on %s: %s", e.Code, e.Statement, e.Message)
}

// Code gives the exception code of an error, 0 when the server gave none.
func Code(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func newError(resp *http.Response, text, sql string) *Error {
	code, _ := strconv.Atoi(resp.Header.Get("X-ClickHouse-Exception-Code"))
	if _, after, found := strings.Cut(text, "DB::Exception: "); found {
		text = after
	}
	text, _, _ = strings.Cut(text, " (version ")
	return &Error{Code: code, Status: resp.StatusCode, Message: strings.TrimSpace(text), Statement: abbreviate(sql)}
}

// abbreviate gives the beginning of a statement on one line.
func abbreviate(sql string) string {
	const most = 80
	line := strings.Join(strings.Fields(sql), " ")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	return strconv.Quote(line)
}
