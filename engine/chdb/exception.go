package chdb

import (
	"regexp"
	"strconv"
	"strings"
)

// Exception is an error of the engine.
type Exception struct {
	// Code is ClickHouse's number of the error, 0 when the engine gave none.
	Code int
	// Message is the engine's whole text: "Code: 60. DB::Exception: …".
	Message string
}

func (e *Exception) Error() string { return e.Message }

var exceptionCode = regexp.MustCompile(`Code: (\d+)\.`)

// codeUnknownException is ClickHouse's UNKNOWN_EXCEPTION.
const codeUnknownException = 1002

func newException(message string) *Exception {
	message = strings.TrimSpace(message)
	exception := &Exception{Code: codeUnknownException, Message: message}
	if match := exceptionCode.FindStringSubmatch(message); match != nil {
		if code, err := strconv.Atoi(match[1]); err == nil {
			exception.Code = code
		}
	}
	return exception
}
