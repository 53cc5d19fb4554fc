package sqlmode

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// ErrBusy is a project with as many statements under way as it may have.
var ErrBusy = errors.New("the project has as many statements under way as it may have at a time")

// ErrIDInUse is a statement under the id of one that is under way.
var ErrIDInUse = errors.New("a statement with this id is under way")

// errCancelled is the cause by which Cancel ends a statement.
var errCancelled = errors.New("the statement was cancelled")

// Runner runs statements of people.
type Runner struct {
	compiler *Compiler
	store    *clickhouse.Client // of the user that statements run as
	owner    *clickhouse.Client // who may stop them
	config   Config

	mu      sync.Mutex
	running map[string]context.CancelCauseFunc // by id in the store
	count   map[string]int                     // by project
}

// NewRunner makes a runner over the tables of the store's database. store runs
// statements as whoever they are to run as, owner stops them.
func NewRunner(store, owner *clickhouse.Client, c Config) *Runner {
	return &Runner{
		compiler: &Compiler{Store: store, Database: store.Database()}, store: store, owner: owner, config: c,
		running: map[string]context.CancelCauseFunc{}, count: map[string]int{},
	}
}

// Config is what the runner was made with.
func (r *Runner) Config() Config { return r.config }

// Question is a statement to run.
type Question struct {
	Project string
	// ID names the statement within its project; empty: one is made up.
	ID     string
	Text   string
	Limits Limits
	Format Format
}

// statementID is the id of a statement in the store. Neither part has a dot.
func statementID(project, id string) string { return "trackway-sql." + project + "." + id }

func newStatementID() string { return "trackway-sql-check-" + rand.Text() }

// IDPattern is what ids of statements look like.
const IDPattern = `^[A-Za-z0-9_-]{1,64}$`

var idPattern = regexp.MustCompile(IDPattern)

// Start checks the statement and sends it off. The caller closes the answer. Errors
// are *Refusal, *LimitError, *Failure, ErrBusy, ErrIDInUse, or the store's.
func (r *Runner) Start(ctx context.Context, q Question) (*Answer, error) {
	limits, err := r.config.limits(q.Format).lower(q.Limits)
	if err != nil {
		return nil, err
	}
	if q.ID == "" {
		q.ID = rand.Text()
	}
	if !idPattern.MatchString(q.ID) {
		return nil, refuse("id: want 1 to 64 letters, digits, _ and -, got %q", q.ID)
	}
	ctx, done, err := r.admit(ctx, q)
	if err != nil {
		return nil, err
	}
	answer, err := r.start(ctx, q, limits)
	if err != nil {
		defer done()
		return nil, explain(ctx, err, limits)
	}
	answer.done = done
	return answer, nil
}

func (r *Runner) start(ctx context.Context, q Question, limits Limits) (*Answer, error) {
	sql, err := r.compiler.Compile(ctx, q.Text)
	if err != nil {
		return nil, err
	}
	stream, err := r.store.Open(ctx, clickhouse.StreamQuery{
		Query: clickhouse.Query{
			Name: "sql", SQL: sql,
			Params:   map[string]string{projectParam: q.Project},
			Settings: r.settings(q.Project, limits),
		},
		Format: storeFormats[q.Format], ID: statementID(q.Project, q.ID), Database: emptyDatabase,
		Timeout: time.Duration(limits.TimeMS) * time.Millisecond, Whole: q.Format == JSON,
	})
	if err != nil {
		return nil, err
	}
	return &Answer{ID: q.ID, Limits: limits, stream: stream, ctx: ctx, counter: newLineCounter(q.Format), started: time.Now().Add(-stream.Stats.Elapsed)}, nil
}

const (
	// maxSpill is how many bytes of sorts and groups a statement may put on disk.
	maxSpill = 8 << 30
	// maxExpanded bounds a statement whose aliases stand where they are named.
	maxExpanded = 500_000
	// maxRecursion is how often a recursive expression may be evaluated.
	maxRecursion = 1000
)

// settings are those that a checked statement runs under, besides readonly.
func (r *Runner) settings(project string, limits Limits) map[string]string {
	s := limits.settings()
	maps.Copy(s, formatSettings)
	maps.Copy(s, map[string]string{
		"enable_analyzer": "1",
		// The second fence, behind the views: no row of another project leaves a
		// table, however it is named.
		"additional_table_filters": tableFilters(r.compiler.Database, project),
		// Conditions are tried on the values these indexes hold, of rows next to
		// the project's too; a condition that fails there would tell of them. The
		// largest value of an index may be another project's as well.
		"ignore_data_skipping_indices":              "ix_st,ix_sev",
		"use_skip_indexes_for_top_k":                "0",
		"use_top_k_dynamic_filtering":               "0",
		"max_temporary_data_on_disk_size_for_query": fmt.Sprint(maxSpill),
		"max_recursive_cte_evaluation_depth":        fmt.Sprint(maxRecursion),
		// What a condition did not match in a granule is remembered for all
		// projects whose rows lie in it.
		"use_query_condition_cache":     "0",
		"use_query_cache":               "0",
		"max_query_size":                fmt.Sprint(maxText),
		"max_expanded_ast_elements":     fmt.Sprint(maxExpanded),
		"max_parser_depth":              fmt.Sprint(2 * maxDepth),
		"max_ast_depth":                 fmt.Sprint(2 * maxDepth),
		"implicit_select":               "0",
		"allow_introspection_functions": "0",
	})
	if r.config.Username != "" {
		// What the row policies of that user compare with.
		s["SQL_trackway_project"] = "'" + project + "'"
	}
	return s
}

// tableFilters writes the filter of every table a view reads. Projects have neither
// quotes nor backslashes in their ids.
func tableFilters(database, project string) string {
	filters, separator := "{", ""
	seen := map[string]bool{}
	for _, v := range Views {
		if !seen[v.table] {
			filters += fmt.Sprintf(`%s'%s.%s': 'project = \'%s\''`, separator, database, v.table, project)
			separator, seen[v.table] = ", ", true
		}
	}
	return filters + "}"
}

// admit counts the statement and makes it stoppable by its id.
func (r *Runner) admit(ctx context.Context, q Question) (context.Context, func(), error) {
	id := statementID(q.Project, q.ID)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.running[id] != nil:
		return nil, nil, ErrIDInUse
	case r.count[q.Project] >= r.config.MaxConcurrent:
		return nil, nil, ErrBusy
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r.running[id] = cancel
	r.count[q.Project]++
	return ctx, func() {
		cancel(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.running, id)
		if r.count[q.Project]--; r.count[q.Project] == 0 {
			delete(r.count, q.Project)
		}
	}, nil
}

// Cancel stops a statement of the project and says whether there was one, also one
// that another query server on the same store runs.
func (r *Runner) Cancel(ctx context.Context, project, id string) (bool, error) {
	if !idPattern.MatchString(id) {
		return false, nil
	}
	name := statementID(project, id)
	r.mu.Lock()
	cancel := r.running[name]
	r.mu.Unlock()
	if cancel != nil {
		cancel(errCancelled)
		return true, nil
	}
	return r.owner.Kill(ctx, name)
}

// explain turns what went wrong into what it means for who asked.
func explain(ctx context.Context, err error, limits Limits) error {
	if errors.Is(context.Cause(ctx), errCancelled) {
		return &Failure{Cancelled: true, Position: -1, Message: errCancelled.Error()}
	}
	if f := failureOf(err, limits); f != nil {
		return f
	}
	return err
}
