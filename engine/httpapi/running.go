package httpapi

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/engine/chdb"
	"github.com/trackwayhq/trackway/engine/sqltext"
)

// The C interface of the engine takes no query id, so ours travels in the
// setting log_comment, as "query_id=<id>", followed by a line break and the
// client's own comment where it gave one. Statements that ask for query_id are
// rewritten to look there.
const (
	commentPrefix = "query_id="
	queryIDOfRow  = "if(startsWith(Settings['log_comment'], '" + commentPrefix + "'), substring(splitByChar('\\n', Settings['log_comment'])[1], 10), query_id)"
	processes     = "(SELECT * REPLACE (" + queryIDOfRow + " AS query_id) FROM system.processes)"
)

// killRetry is how often a statement is killed again until it ends: a KILL that
// comes before the engine has registered the statement finds nothing.
const killRetry = 50 * time.Millisecond

// commentOf is the log_comment of a statement.
func commentOf(id, own string) string {
	if own == "" {
		return commentPrefix + id
	}
	return commentPrefix + id + "\n" + own
}

// rewriteQueryID makes query_id in KILL QUERY and system.processes mean ours.
func rewriteQueryID(statement *sqltext.Statement) {
	switch {
	case statement.Verb == "KILL":
		*statement = statement.ReplaceName("query_id", queryIDOfRow)
		return
	case statement.Verb == "SHOW" && statement.HasPair("SHOW", "PROCESSLIST"):
		text := "SELECT * FROM system.processes ORDER BY elapsed DESC"
		if statement.Format != "" {
			text += " FORMAT " + statement.Format
		}
		// A text of ours always parses.
		*statement, _ = sqltext.Parse(text)
	}
	*statement = statement.ReplaceTable("system", "processes", processes)
}

// running is the statements being executed, by query id.
type running struct {
	limit    int
	mu       sync.Mutex
	byID     map[string]*runningQuery
	stopping bool
}

type runningQuery struct {
	reads  bool // cancelling it loses nothing
	cancel context.CancelFunc
}

func newRunning(limit int) *running {
	return &running{limit: limit, byID: map[string]*runningQuery{}}
}

// admit registers a statement; cancel is called when it is to end early. The
// errors are ClickHouse's for too many statements, for an id in use, and for a
// server that stops.
func (r *running) admit(id string, cancel context.CancelFunc) (*runningQuery, *chdb.Exception) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return nil, exception(codeAborted, "ABORTED", "Server shutdown is called")
	}
	if r.limit > 0 && len(r.byID) >= r.limit {
		return nil, exception(codeTooManyQueries, "TOO_MANY_SIMULTANEOUS_QUERIES", "Too many simultaneous queries. Maximum: %d", r.limit)
	}
	if r.byID[id] != nil {
		return nil, exception(codeQueryIDRunning, "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING", "Query with id = %s is already running", id)
	}
	query := &runningQuery{cancel: cancel}
	r.byID[id] = query
	return query, nil
}

func (r *running) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, id)
}

// reads marks a statement as one that only reads.
func (r *running) reads(q *runningQuery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q.reads = true
	if r.stopping {
		q.cancel()
	}
}

// stop admits no further statement and cancels those that read.
func (r *running) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
	for _, query := range r.byID {
		if query.reads {
			query.cancel()
		}
	}
}

// killUntil kills the statement with the comment until done is closed.
func (s *Server) killUntil(done <-chan struct{}, comment string) {
	for {
		s.kill(comment)
		select {
		case <-done:
			return
		case <-time.After(killRetry):
		}
	}
}

// kill tells the engine to cancel the statement with the comment; one that has
// not begun is missed.
func (s *Server) kill(comment string) {
	conn, err := s.instance.Connect()
	if err != nil {
		s.options.Log.Error("no connection to kill a statement with", "error", err)
		return
	}
	defer conn.Close()
	result, err := conn.Query("KILL QUERY WHERE Settings['log_comment'] = "+quote(comment)+" ASYNC", "TabSeparated", nil)
	if err != nil {
		s.options.Log.Error("kill a statement", "comment", comment, "error", err)
		return
	}
	result.Close()
}

var quoter = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// quote makes a string literal.
func quote(s string) string { return "'" + quoter.Replace(s) + "'" }
