package queryserver

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"
)

// An answer of the API is made as a whole before it is sent, and its memory is held
// until its reader has taken it: about 8 KB a record.
const (
	// largeAnswer is from how many records an answer counts as large.
	largeAnswer = 1_000
	// largestAnswer is the most records that one may have.
	largestAnswer = 10_000
	// recordsUnderWay bounds the records of all large answers together.
	recordsUnderWay = 5 * largestAnswer
	// turnWithin is how long a large answer may wait for others to end.
	turnWithin = 10 * time.Second
	// takenWithin is how long the question and its reader may take together.
	takenWithin = 2 * time.Minute
)

// bounded lets large answers be made only while few are under way, so that readers
// that are slow, or many, take no more memory than that.
func bounded(next http.Handler) http.Handler {
	underWay := semaphore.NewWeighted(recordsUnderWay)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		records := recordsAsked(r)
		if records < largeAnswer {
			next.ServeHTTP(w, r)
			return
		}
		turn, cancel := context.WithTimeout(r.Context(), turnWithin)
		defer cancel()
		if err := underWay.Acquire(turn, records); err != nil {
			w.Header().Set("Retry-After", "1")
			writeProblem(w, problem(http.StatusTooManyRequests, fmt.Sprintf("answers of %d records are under way, as many as there may be: ask for fewer than %d with limit, or try again when one has ended", recordsUnderWay, largeAnswer)))
			return
		}
		defer underWay.Release(records)
		// A server that cannot set deadlines is one of a test.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(takenWithin))
		next.ServeHTTP(w, r)
	})
}

// recordsAsked is how many records an answer may have: those of limit, and all of a
// trace that is not streamed. Exports and streamed traces are bounded by themselves.
func recordsAsked(r *http.Request) int64 {
	query := r.URL.Query()
	switch {
	case !strings.HasPrefix(r.URL.Path, "/api/") || isStream(r) || query.Get("format") != "":
		return 0
	case strings.Contains(r.URL.Path, "/traces/"):
		return largestAnswer
	}
	n, err := strconv.ParseInt(query.Get("limit"), 10, 64)
	if err != nil || n > largestAnswer { // refused further on, or asks for something else than records
		return 0
	}
	return n
}
