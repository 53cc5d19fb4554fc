package metadata

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ErrorState is what people say of an error group.
type ErrorState string

// The states. That a group came back after it was resolved is derived where it is
// shown, and never stored.
const (
	ErrorOpen              ErrorState = "open"
	ErrorResolved          ErrorState = "resolved"
	ErrorResolvedInRelease ErrorState = "resolved_in_release"
	ErrorIgnored           ErrorState = "ignored"
)

// ErrorGroup is what is said of a group of errors.
type ErrorGroup struct {
	Project      string
	Group        uint64
	Revision     int64 // 1 for the first change
	State        ErrorState
	Since        time.Time // when the state was set; a change of the owner alone leaves it
	Release      string    // of ErrorResolvedInRelease, the release with the fix
	IgnoredUntil time.Time // of ErrorIgnored, zero for good
	Owner        string    // empty: nobody
	Changed      time.Time
	Actor        string
}

// ErrorGroupChange is a change of a group. A new state takes its release and end of
// ignoring from here, also when they are empty; an empty state leaves all three.
type ErrorGroupChange struct {
	State        ErrorState
	Release      string
	IgnoredUntil time.Time
	Owner        *string // nil leaves it
}

const (
	// MaxErrorGroups bounds the groups of a project of which something is said.
	MaxErrorGroups = 10_000
	// MaxErrorGroupHistory is how many changes of a group are kept, the newest.
	MaxErrorGroupHistory = 100
)

func (c ErrorGroupChange) check(now time.Time) error {
	for _, text := range []struct{ name, value string }{{"release", c.Release}, {"owner", deref(c.Owner)}} {
		if n := utf8.RuneCountInString(text.value); n > maxName {
			return invalid("%s: want at most %d characters, got %d", text.name, maxName, n)
		}
		if !utf8.ValidString(text.value) || strings.ContainsFunc(text.value, unicode.IsControl) {
			return invalid("%s: want one line of printable text, got %q", text.name, text.value)
		}
	}
	switch c.State {
	case "":
		if c.Owner == nil {
			return invalid("want a state or an owner, got neither")
		}
	case ErrorOpen, ErrorResolved, ErrorIgnored, ErrorResolvedInRelease:
	default:
		return invalid("state: want open, resolved, resolved_in_release or ignored, got %q", string(c.State))
	}
	if (c.State == ErrorResolvedInRelease) != (strings.TrimSpace(c.Release) != "") {
		return invalid("release: want one with the state resolved_in_release, and only then, got %q with %q", c.Release, string(c.State))
	}
	if !c.IgnoredUntil.IsZero() && (c.State != ErrorIgnored || !c.IgnoredUntil.After(now)) {
		return invalid("ignored_until: want a time to come, with the state ignored, got %s with %q", c.IgnoredUntil.Format(time.RFC3339), string(c.State))
	}
	return nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

const errorGroupColumns = "project, error_group, revision, state, state_ms, release, ignored_until_ms, owner, changed_ms, actor"

// ChangeErrorGroup changes what is said of a group, which need not be known, and keeps
// what was said in its history. Collectors do not follow it: the version stays.
func (s *Store) ChangeErrorGroup(ctx context.Context, actor, project string, group uint64, c ErrorGroupChange) (ErrorGroup, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	c.IgnoredUntil = c.IgnoredUntil.UTC().Truncate(time.Millisecond)
	if err := CheckProjectID(project); err != nil {
		return ErrorGroup{}, err
	}
	if err := c.check(now); err != nil {
		return ErrorGroup{}, err
	}
	var g ErrorGroup
	err := s.transact(ctx, nil, func(tx *sql.Tx) error {
		// Locks the row of the version without changing it, so that changes of one
		// group do not overlap and the count holds.
		if _, err := s.exec(ctx, tx, "UPDATE metadata_state SET version = version WHERE id = 1"); err != nil {
			return err
		}
		found, err := scanErrorGroup(tx.QueryRowContext(ctx, s.rebind("SELECT "+errorGroupColumns+" FROM error_groups WHERE project = ? AND error_group = ?"), project, groupText(group)))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			var n int
			if err := tx.QueryRowContext(ctx, s.rebind("SELECT count(*) FROM error_groups WHERE project = ?"), project).Scan(&n); err != nil {
				return err
			}
			if n >= MaxErrorGroups {
				return conflict("project %s has %d error groups with a state or an owner, the most there may be", project, n)
			}
			g = ErrorGroup{Project: project, Group: group, State: ErrorOpen, Since: now}
		case err != nil:
			return err
		default:
			g = found
		}
		g.Revision, g.Changed, g.Actor = g.Revision+1, now, actor
		if c.State != "" {
			g.State, g.Since, g.Release, g.IgnoredUntil = c.State, now, c.Release, c.IgnoredUntil
		}
		if c.Owner != nil {
			g.Owner = *c.Owner
		}
		return s.keepErrorGroup(ctx, tx, g)
	})
	if err != nil {
		return ErrorGroup{}, s.explain(err)
	}
	return g, nil
}

func (s *Store) keepErrorGroup(ctx context.Context, tx *sql.Tx, g ErrorGroup) error {
	id := groupText(g.Group)
	if _, err := s.exec(ctx, tx, "DELETE FROM error_groups WHERE project = ? AND error_group = ?", g.Project, id); err != nil {
		return err
	}
	for _, table := range []string{"error_groups", "error_group_history"} {
		_, err := s.exec(ctx, tx, "INSERT INTO "+table+" ("+errorGroupColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			g.Project, id, g.Revision, string(g.State), g.Since.UnixMilli(), g.Release, milliseconds(g.IgnoredUntil), g.Owner, g.Changed.UnixMilli(), g.Actor)
		if err != nil {
			return err
		}
	}
	_, err := s.exec(ctx, tx, "DELETE FROM error_group_history WHERE project = ? AND error_group = ? AND revision <= ?", g.Project, id, g.Revision-MaxErrorGroupHistory)
	return err
}

// ErrorGroups gives the groups of a project of which something is said.
func (s *Store) ErrorGroups(ctx context.Context, project string) (map[uint64]ErrorGroup, error) {
	found, err := s.errorGroups(ctx, "SELECT "+errorGroupColumns+" FROM error_groups WHERE project = ?", project)
	out := make(map[uint64]ErrorGroup, len(found))
	for _, g := range found {
		out[g.Group] = g
	}
	return out, err
}

// ErrorGroupHistory gives the changes of a group, newest first: the first is what holds.
func (s *Store) ErrorGroupHistory(ctx context.Context, project string, group uint64) ([]ErrorGroup, error) {
	return s.errorGroups(ctx, "SELECT "+errorGroupColumns+" FROM error_group_history WHERE project = ? AND error_group = ? ORDER BY revision DESC", project, groupText(group))
}

func (s *Store) errorGroups(ctx context.Context, query string, args ...any) ([]ErrorGroup, error) {
	rows, err := s.db.QueryContext(ctx, s.rebind(query), args...)
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	found := []ErrorGroup{}
	for rows.Next() {
		g, err := scanErrorGroup(rows)
		if err != nil {
			return nil, s.explain(err)
		}
		found = append(found, g)
	}
	return found, s.explain(rows.Err())
}

func scanErrorGroup(row interface{ Scan(into ...any) error }) (ErrorGroup, error) {
	var g ErrorGroup
	var id, state string
	var since, changed int64
	var until sql.NullInt64
	if err := row.Scan(&g.Project, &id, &g.Revision, &state, &since, &g.Release, &until, &g.Owner, &changed, &g.Actor); err != nil {
		return ErrorGroup{}, err
	}
	var err error
	if g.Group, err = strconv.ParseUint(id, 16, 64); err != nil {
		return ErrorGroup{}, err
	}
	g.State, g.IgnoredUntil = ErrorState(state), fromMilliseconds(until)
	g.Since, g.Changed = time.UnixMilli(since).UTC(), time.UnixMilli(changed).UTC()
	return g, nil
}

// groupText is the stored form of a group: SQL has no unsigned integers of 64 bits.
func groupText(group uint64) string {
	s := strconv.FormatUint(group, 16)
	return strings.Repeat("0", 16-len(s)) + s
}
