package httpapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trackwayhq/trackway/engine/chdb"
)

// exception makes an error in the engine's own form; name is ClickHouse's name
// of the code.
func exception(code int, name, format string, args ...any) *chdb.Exception {
	return &chdb.Exception{Code: code, Message: fmt.Sprintf("Code: %d. DB::Exception: %s. (%s)", code, fmt.Sprintf(format, args...), name)}
}

// asException gives every error a code; what the engine did not raise becomes
// UNKNOWN_EXCEPTION.
func asException(err error) *chdb.Exception {
	var known *chdb.Exception
	if errors.As(err, &known) {
		return known
	}
	return exception(codeUnknownException, "UNKNOWN_EXCEPTION", "%v", err)
}

// text is the exception as ClickHouse prints it: one line that ends with the
// version.
func (s *Server) text(e *chdb.Exception) string {
	message := strings.TrimSpace(e.Message)
	if !strings.Contains(message, "(version ") {
		message += " (version " + s.version + ")"
	}
	return message
}
