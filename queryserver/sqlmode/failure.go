package sqlmode

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// Codes of the store's exceptions, from ErrorCodes.cpp of ClickHouse.
const (
	codeTooManyRows      = 158
	codeTimeout          = 159
	codeTooSlow          = 160
	codeReadonly         = 164
	codeTooManyProcesses = 202
	codeSameID           = 216
	codeMemory           = 241
	codeTooManyBytes     = 307
	codeCancelled        = 394
	codeResultTooLarge   = 396
	codeUnknownParameter = 456
	codeAborted          = 236
)

// Failure is a statement that the store refused or gave up, in words for who wrote it.
type Failure struct {
	// Limit is the name of the limit that was reached, if that is what happened.
	Limit string
	// Cancelled says that somebody stopped the statement.
	Cancelled bool
	// Position is the byte of the statement at which it stops making sense; -1
	// where that is not known.
	Position int
	Message  string
}

func (f *Failure) Error() string { return f.Message }

var (
	positionText = regexp.MustCompile(`failed at position (\d+)`)
	// internals are parts of messages that speak of what stands around a statement.
	internals = regexp.MustCompile(`(?s)[:.]? (?:In scope |: While executing |while executing ).*$`)
	// nested is an exception's text within another's.
	nested      = regexp.MustCompile(`^(?:Code: \d+\. DB::Exception: )+`)
	versionText = regexp.MustCompile(` \(version [^)]*\)$`)
)

// failureOf says what an exception of the store means for who wrote the statement;
// nil where it is the store's own trouble.
func failureOf(err error, l Limits) *Failure {
	var e *clickhouse.Exception
	if !errors.As(err, &e) {
		return nil
	}
	reached := func(name string, most uint64, unit string) *Failure {
		return &Failure{Limit: name, Position: -1, Message: fmt.Sprintf("%s: the statement needs more than %d %s; narrow it, by a window over ts for one", name, most, unit)}
	}
	switch e.Code {
	case codeTimeout, codeTooSlow:
		return reached("max_time_ms", l.TimeMS, "ms")
	case codeTooManyRows:
		return reached("max_rows_read", l.RowsRead, "rows of the tables")
	case codeTooManyBytes:
		return reached("max_bytes_read", l.BytesRead, "bytes of the tables")
	case codeMemory:
		if !strings.Contains(e.Message, "Query memory limit") {
			return nil
		}
		return reached("max_memory", l.Memory, "bytes of memory")
	case codeResultTooLarge:
		if strings.Contains(e.Message, "max bytes") {
			return reached("max_result_bytes", l.ResultBytes, "bytes of result")
		}
		return reached("max_result_rows", l.ResultRows, "rows of result")
	case codeCancelled:
		return &Failure{Cancelled: true, Position: -1, Message: "the statement was cancelled"}
	case codeTooManyProcesses, codeAborted, codeSameID:
		return nil
	}
	if clickhouse.IsDenied(err) || clickhouse.IsNoSchema(err) {
		return nil
	}
	return &Failure{Position: positionOf(e.Message), Message: clean(e.Message)}
}

// positionOf reads the position of a syntax error, which counts from 1.
func positionOf(message string) int {
	m := positionText.FindStringSubmatch(message)
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n - 1
}

// maxMessage bounds what is told of the store's words.
const maxMessage = 1000

// clean takes off what concerns the store and not the statement.
func clean(message string) string {
	message = nested.ReplaceAllString(versionText.ReplaceAllString(strings.TrimSpace(message), ""), "")
	name := ""
	if at := strings.LastIndex(message, " ("); at > 0 && strings.HasSuffix(message, ")") {
		if tail := message[at:]; strings.ToUpper(tail) == tail {
			name, message = tail, message[:at]
		}
	}
	message = strings.TrimRight(internals.ReplaceAllString(message, ""), ": ")
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return message + name
}
