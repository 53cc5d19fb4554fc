package admission

import (
	"net/http"
	"time"
)

// answerTimeout is how long an answer may take to be written.
const answerTimeout = 10 * time.Second

// ExtendWrite gives an answer time to be written, however long the request took.
// http.Server counts its write_timeout from when the request's headers were read, so
// on a machine that is busy the answer to a large request, which may have been
// taken, would be cut off, and its sender would send it again.
func ExtendWrite(w http.ResponseWriter) {
	// An error is of a writer that is no connection, which has no timeouts.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTimeout))
}
