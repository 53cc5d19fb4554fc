package metadata

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Marker is something that happened at a moment, a deployment above all.
type Marker struct {
	ID      string
	Project string
	At      time.Time
	Title   string
	Release string // as records have it; empty where it is no deployment
	Service string // empty: of all services
	Env     string // empty: of all environments
	URL     string // where to read more
	Actor   string // who set it
	Created time.Time
}

const (
	// MaxMarkers bounds the markers of a project. Beyond, the oldest go: a script
	// that deploys must not fail for them.
	MaxMarkers = 10_000
	// markerIDStart begins every id of a marker.
	markerIDStart = "m_"
	maxMarkerURL  = 2048
)

// check says what is wrong with a marker's values.
func (m Marker) check() error {
	if err := CheckProjectID(m.Project); err != nil {
		return err
	}
	if strings.TrimSpace(m.Title) == "" {
		return invalid("title: want some text, got %q", m.Title)
	}
	for _, text := range []struct{ name, value string }{{"title", m.Title}, {"release", m.Release}, {"service", m.Service}, {"env", m.Env}} {
		if n := utf8.RuneCountInString(text.value); n > maxName {
			return invalid("%s: want at most %d characters, got %d", text.name, maxName, n)
		}
		if !utf8.ValidString(text.value) || strings.ContainsFunc(text.value, unicode.IsControl) {
			return invalid("%s: want one line of printable text, got %q", text.name, text.value)
		}
	}
	if m.URL == "" {
		return nil
	}
	u, err := url.Parse(m.URL)
	if err != nil || len(m.URL) > maxMarkerURL || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return invalid("url: want http://… or https://… of at most %d bytes, got %.100q", maxMarkerURL, m.URL)
	}
	return nil
}

// CreateMarker adds a marker. Its id and the time of its creation are not taken
// from m. Markers are no part of what collectors follow: the version stays.
func (s *Store) CreateMarker(ctx context.Context, m Marker) (Marker, error) {
	m.ID, m.Created = markerIDStart+random(10), s.now().UTC().Truncate(time.Millisecond)
	m.At = m.At.UTC().Truncate(time.Millisecond)
	if err := m.check(); err != nil {
		return Marker{}, err
	}
	err := s.transact(ctx, nil, func(tx *sql.Tx) error {
		_, err := s.exec(ctx, tx, "INSERT INTO markers ("+markerColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			m.ID, m.Project, m.At.UnixMilli(), m.Title, m.Release, m.Service, m.Env, m.URL, m.Actor, m.Created.UnixMilli())
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, tx, `DELETE FROM markers WHERE project = ? AND id IN
			(SELECT id FROM markers WHERE project = ? ORDER BY at_ms DESC, id LIMIT 1000 OFFSET ?)`, m.Project, m.Project, MaxMarkers)
		return err
	})
	if err != nil {
		return Marker{}, s.explain(err)
	}
	return m, nil
}

const markerColumns = "id, project, at_ms, title, release, service, env, url, actor, created_ms"

// Markers gives a project's markers in [from, to), oldest first; of more than
// limit the newest. With a service, those of it and of all services.
func (s *Store) Markers(ctx context.Context, project, service string, from, to time.Time, limit int) ([]Marker, error) {
	rows, err := s.db.QueryContext(ctx, s.rebind("SELECT "+markerColumns+` FROM (
			SELECT `+markerColumns+` FROM markers WHERE project = ? AND at_ms >= ? AND at_ms < ?
				AND (? = '' OR service IN ('', ?)) ORDER BY at_ms DESC, id LIMIT ?
		) AS newest ORDER BY at_ms, id`), project, ceilMilliseconds(from), ceilMilliseconds(to), service, service, limit)
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	found := []Marker{}
	for rows.Next() {
		var m Marker
		var at, created int64
		if err := rows.Scan(&m.ID, &m.Project, &at, &m.Title, &m.Release, &m.Service, &m.Env, &m.URL, &m.Actor, &created); err != nil {
			return nil, s.explain(err)
		}
		m.At, m.Created = time.UnixMilli(at).UTC(), time.UnixMilli(created).UTC()
		found = append(found, m)
	}
	return found, s.explain(rows.Err())
}

// ceilMilliseconds rounds up, since stored times are whole milliseconds.
func ceilMilliseconds(t time.Time) int64 { return t.Add(time.Millisecond - 1).UnixMilli() }

// DeleteMarker removes a marker of a project, or gives ErrNotFound.
func (s *Store) DeleteMarker(ctx context.Context, project, id string) error {
	err := s.transact(ctx, nil, func(tx *sql.Tx) error {
		result, err := s.exec(ctx, tx, "DELETE FROM markers WHERE project = ? AND id = ?", project, id)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return notFound("there is no marker %q in project %s", id, project)
	})
	return s.explain(err)
}
