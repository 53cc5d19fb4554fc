package metadata

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Change is a row of the audit trail.
type Change struct {
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	// Actor is who made it: "cli:" and the name of a user of the machine.
	Actor string `json:"actor"`
	// Action is what was done, such as "key.revoke".
	Action  string `json:"action"`
	Project string `json:"project"`
	Key     string `json:"key,omitempty"`
	// Detail is a JSON object with what was set, null where the action says it all.
	Detail json.RawMessage `json:"detail,omitempty"`

	detail any // what Detail is made from
}

// change runs do in a transaction that raises the version and is recorded; do
// completes the record. The row of the version is locked first, so changes never
// overlap, in Postgres neither: what do reads stays true until it commits.
func (s *Store) change(ctx context.Context, c Change, do func(tx *sql.Tx, c *Change) error) error {
	err := s.transact(ctx, nil, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "UPDATE metadata_state SET version = version + 1 WHERE id = 1 RETURNING version").Scan(&c.Version); err != nil {
			return err
		}
		if err := do(tx, &c); err != nil {
			return err
		}
		return s.record(ctx, tx, c)
	})
	return s.explain(err)
}

func (s *Store) record(ctx context.Context, tx *sql.Tx, c Change) error {
	if c.detail != nil {
		text, err := json.Marshal(c.detail)
		if err != nil {
			return fmt.Errorf("detail of %s: %w", c.Action, err)
		}
		c.Detail = text
	}
	_, err := s.exec(ctx, tx, "INSERT INTO changes (version, at_ms, actor, action, project, ingest_key, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
		c.Version, c.At.UnixMilli(), c.Actor, c.Action, c.Project, c.Key, string(c.Detail))
	return err
}

// Changes gives the newest entries of the audit trail, newest first: of one
// project, or of all with "".
func (s *Store) Changes(ctx context.Context, project string, limit int) ([]Change, error) {
	rows, err := s.db.QueryContext(ctx, s.rebind(`SELECT version, at_ms, actor, action, project, ingest_key, detail FROM changes
		WHERE ? = '' OR project = ? ORDER BY version DESC LIMIT ?`), project, project, limit)
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	found := []Change{}
	for rows.Next() {
		var c Change
		var at int64
		var detail string
		if err := rows.Scan(&c.Version, &at, &c.Actor, &c.Action, &c.Project, &c.Key, &detail); err != nil {
			return nil, s.explain(err)
		}
		c.At = time.UnixMilli(at).UTC()
		if detail != "" {
			c.Detail = json.RawMessage(detail)
		}
		found = append(found, c)
	}
	return found, s.explain(rows.Err())
}

// transact runs do in a transaction, which ends without effect when do fails.
func (s *Store) transact(ctx context.Context, options *sql.TxOptions, do func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		if undo := tx.Rollback(); undo != nil && !errors.Is(undo, sql.ErrTxDone) {
			return errors.Join(err, undo)
		}
		return err
	}
	return tx.Commit()
}

func (s *Store) exec(ctx context.Context, tx *sql.Tx, query string, args ...any) (sql.Result, error) {
	return tx.ExecContext(ctx, s.rebind(query), args...)
}

// rebind turns the placeholders ? into Postgres's $1, $2 …. The statements of
// this package contain no other question marks.
func (s *Store) rebind(query string) string {
	if !s.postgres {
		return query
	}
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(query, "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	return b.String()
}

// milliseconds is the stored form of a time, NULL for the zero time.
func milliseconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// fromMilliseconds is the zero time for NULL.
func fromMilliseconds(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}
