package metadata

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// DefaultTTLDays is how long records of a project are kept unless told.
	DefaultTTLDays = 30
	// MaxTTLDays is ten years; the store's column holds 65,535.
	MaxTTLDays = 3650
	// MaxProjects bounds what every collector holds in memory.
	MaxProjects = 10_000
	// maxName bounds the names of projects and keys, in characters.
	maxName = 200
)

// Project is one separate set of records.
type Project struct {
	ID      string    `json:"id"` // immutable: rows carry it
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	// Archived is when the project stopped taking data, zero while it does. What is
	// stored can be read until it expires.
	Archived time.Time `json:"archived,omitzero"`
	TTLDays  int       `json:"ttl_days"`
	Limits   Limits    `json:"limits"`
}

// Limits of what a project may send. 0 is no limit.
type Limits struct {
	ItemsPerSecond int64 `json:"items_per_second"`
	BytesPerSecond int64 `json:"bytes_per_second"` // bytes as inflated
	ItemsPerDay    int64 `json:"items_per_day"`
	BytesPerDay    int64 `json:"bytes_per_day"`
}

// projectID is the form of ids everywhere: in URLs, in rows, in keys.
var projectID = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// CheckProjectID says what a project's id looks like, where s is none.
func CheckProjectID(s string) error {
	if !projectID.MatchString(s) {
		return invalid("project id: want 1 to 40 of a-z, 0-9 and -, got %q", s)
	}
	return nil
}

// check says what is wrong with a project's values.
func (p Project) check() error {
	if err := CheckProjectID(p.ID); err != nil {
		return err
	}
	if err := checkName(p.Name); err != nil {
		return err
	}
	if p.TTLDays < 1 || p.TTLDays > MaxTTLDays {
		return invalid("ttl_days: want 1 to %d, got %d", MaxTTLDays, p.TTLDays)
	}
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"items_per_second", p.Limits.ItemsPerSecond}, {"bytes_per_second", p.Limits.BytesPerSecond},
		{"items_per_day", p.Limits.ItemsPerDay}, {"bytes_per_day", p.Limits.BytesPerDay},
	} {
		if limit.value < 0 {
			return invalid("%s: want 0 (no limit) or more, got %d", limit.name, limit.value)
		}
	}
	return nil
}

// checkName wants one printable line.
func checkName(name string) error {
	if strings.TrimSpace(name) == "" {
		return invalid("name: want some text, got %q", name)
	}
	if n := utf8.RuneCountInString(name); n > maxName {
		return invalid("name: want at most %d characters, got %d", maxName, n)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return invalid("name: want one line of printable text, got %q", name)
	}
	return nil
}

// CreateProject adds a project. Created and Archived are not taken from p; a
// missing name becomes the id, a TTLDays of 0 the default.
func (s *Store) CreateProject(ctx context.Context, actor string, p Project) (Project, error) {
	p.Created, p.Archived = s.now().UTC().Truncate(time.Millisecond), time.Time{}
	if p.Name == "" {
		p.Name = p.ID
	}
	if p.TTLDays == 0 {
		p.TTLDays = DefaultTTLDays
	}
	if err := p.check(); err != nil {
		return Project{}, err
	}
	err := s.change(ctx, Change{At: p.Created, Actor: actor, Action: "project.create", Project: p.ID, detail: p}, func(tx *sql.Tx, _ *Change) error {
		if _, err := s.project(ctx, tx, p.ID); !errors.Is(err, ErrNotFound) {
			if err == nil {
				err = conflict("there is a project %s already: choose another id", p.ID)
			}
			return err
		}
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM projects").Scan(&n); err != nil {
			return err
		}
		if n >= MaxProjects {
			return conflict("there are %d projects already, as many as there may be", n)
		}
		return s.insertProject(ctx, tx, p)
	})
	if err != nil {
		return Project{}, err
	}
	return p, nil
}

func (s *Store) insertProject(ctx context.Context, tx *sql.Tx, p Project) error {
	_, err := s.exec(ctx, tx, "INSERT INTO projects ("+projectColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		p.ID, p.Name, p.Created.UnixMilli(), milliseconds(p.Archived), p.TTLDays,
		p.Limits.ItemsPerSecond, p.Limits.BytesPerSecond, p.Limits.ItemsPerDay, p.Limits.BytesPerDay)
	return err
}

// UpdateProject lets edit change the name, the time to live and the limits of a
// project and gives the result. What else edit changes has no effect.
func (s *Store) UpdateProject(ctx context.Context, actor, id string, edit func(*Project)) (Project, error) {
	var p Project
	c := Change{At: s.now(), Actor: actor, Action: "project.update", Project: id}
	err := s.change(ctx, c, func(tx *sql.Tx, c *Change) error {
		before, err := s.project(ctx, tx, id)
		if err != nil {
			return err
		}
		p = before
		edit(&p)
		p.ID, p.Created, p.Archived = before.ID, before.Created, before.Archived
		if err := p.check(); err != nil {
			return err
		}
		c.detail = p
		_, err = s.exec(ctx, tx, `UPDATE projects SET name = ?, ttl_days = ?, items_per_second = ?, bytes_per_second = ?,
			items_per_day = ?, bytes_per_day = ? WHERE id = ?`, p.Name, p.TTLDays, p.Limits.ItemsPerSecond, p.Limits.BytesPerSecond,
			p.Limits.ItemsPerDay, p.Limits.BytesPerDay, id)
		return err
	})
	if err != nil {
		return Project{}, err
	}
	return p, nil
}

// ArchiveProject ends a project's intake: its keys are refused. With restore it begins again, with the same keys.
func (s *Store) ArchiveProject(ctx context.Context, actor, id string, restore bool) (Project, error) {
	action, archived := "project.archive", s.now().UTC().Truncate(time.Millisecond)
	c := Change{At: archived, Actor: actor, Project: id}
	if restore {
		action, archived = "project.restore", time.Time{}
	}
	c.Action = action
	var p Project
	err := s.change(ctx, c, func(tx *sql.Tx, _ *Change) (err error) {
		if p, err = s.project(ctx, tx, id); err != nil {
			return err
		}
		switch {
		case id == DefaultProject:
			return conflict("project %s cannot be archived: senders without a key write to it", id)
		case restore && p.Archived.IsZero():
			return conflict("project %s is not archived", id)
		case !restore && !p.Archived.IsZero():
			return conflict("project %s is archived already", id)
		}
		p.Archived = archived
		_, err = s.exec(ctx, tx, "UPDATE projects SET archived_ms = ? WHERE id = ?", milliseconds(archived), id)
		return err
	})
	if err != nil {
		return Project{}, err
	}
	return p, nil
}

// Projects gives all projects, ordered by id.
func (s *Store) Projects(ctx context.Context) ([]Project, error) {
	found, err := s.projects(ctx, s.db)
	return found, s.explain(err)
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

const projectColumns = "id, name, created_ms, archived_ms, ttl_days, items_per_second, bytes_per_second, items_per_day, bytes_per_day"

func (s *Store) projects(ctx context.Context, q querier) ([]Project, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+projectColumns+" FROM projects ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Project{}
	for rows.Next() {
		p, err := scanProject(rows.Scan)
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, rows.Err()
}

// project gives one project, or ErrNotFound.
func (s *Store) project(ctx context.Context, q querier, id string) (Project, error) {
	p, err := scanProject(q.QueryRowContext(ctx, s.rebind("SELECT "+projectColumns+" FROM projects WHERE id = ?"), id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return p, notFound("there is no project %q: `trackway project list` shows those there are", id)
	}
	return p, err
}

func scanProject(scan func(...any) error) (Project, error) {
	var p Project
	var created int64
	var archived sql.NullInt64
	err := scan(&p.ID, &p.Name, &created, &archived, &p.TTLDays,
		&p.Limits.ItemsPerSecond, &p.Limits.BytesPerSecond, &p.Limits.ItemsPerDay, &p.Limits.BytesPerDay)
	p.Created, p.Archived = time.UnixMilli(created).UTC(), fromMilliseconds(archived)
	return p, err
}
