package metadata

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"encoding/hex"
	"strings"
	"time"
)

const (
	// keyStart begins every ingest key, so that secret scanners can know it.
	keyStart = "twk_"
	// keyIDStart begins every id of a key.
	keyIDStart = "k_"
	// shownChars of the random part are stored to recognise a key by: 30 of its 160 bits.
	shownChars = 6
	// MaxKeys bounds the keys that are neither revoked nor expired, over all
	// projects: every collector holds them in memory.
	MaxKeys = 20_000
	// MaxKeyLifetime bounds expiry and overlap: ten years.
	MaxKeyLifetime = 3650 * 24 * time.Hour
)

// Key is an ingest key, without the secret.
type Key struct {
	ID      string    `json:"id"`
	Project string    `json:"project"`
	Name    string    `json:"name"`
	Prefix  string    `json:"prefix"` // the first characters of the secret
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	Revoked time.Time `json:"revoked,omitzero"` // zero: not
	// LastUsed is when a collector last saw it, to the hour; zero: not yet.
	LastUsed time.Time `json:"last_used,omitzero"`

	hash string
}

// The states of a key.
const (
	KeyActive  = "active"
	KeyExpired = "expired"
	KeyRevoked = "revoked"
)

// State is one of the Key… constants.
func (k Key) State(now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return KeyRevoked
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return KeyExpired
	}
	return KeyActive
}

var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// random gives n bytes from the system's generator, in lower-case base32.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand.Read never fails: it aborts the process instead
	return keyEncoding.EncodeToString(b)
}

// newKey makes a key and its secret.
func newKey(project, name string, created, expires time.Time) (Key, string) {
	secret := keyStart + random(20)
	return Key{
		ID: keyIDStart + random(10), Project: project, Name: name, Prefix: secret[:len(keyStart)+shownChars],
		Created: created, Expires: expires, hash: HashKey(secret),
	}, secret
}

// HashKey is the form of a key's secret that is stored and given to collectors:
// the SHA-256 of all of it, in hex.
func HashKey(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// CreateKey adds a key to a project and gives the secret, which is not stored and
// cannot be had again. A lifetime of 0 is without end.
func (s *Store) CreateKey(ctx context.Context, actor, project, name string, lifetime time.Duration) (Key, string, error) {
	if err := checkName(name); err != nil {
		return Key{}, "", err
	}
	if lifetime < 0 || lifetime > MaxKeyLifetime {
		return Key{}, "", invalid("lifetime: want 0 (no end) to %s, got %s", MaxKeyLifetime, lifetime)
	}
	created := s.now().UTC().Truncate(time.Millisecond)
	var expires time.Time
	if lifetime > 0 {
		expires = created.Add(lifetime)
	}
	key, secret := newKey(project, name, created, expires)
	c := Change{At: created, Actor: actor, Action: "key.create", Project: project, Key: key.ID, detail: key}
	err := s.change(ctx, c, func(tx *sql.Tx, _ *Change) error { return s.addKey(ctx, tx, key) })
	if err != nil {
		return Key{}, "", err
	}
	return key, secret, nil
}

// RotateKey adds a key that takes the place of another: the same project and
// name, and the same length of life. The old one stays valid for overlap, or
// until it expires if that is sooner.
func (s *Store) RotateKey(ctx context.Context, actor, id string, overlap time.Duration) (key, old Key, secret string, err error) {
	if overlap < 0 || overlap > MaxKeyLifetime {
		return Key{}, Key{}, "", invalid("overlap: want 0 to %s, got %s", MaxKeyLifetime, overlap)
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	until := now.Add(overlap)
	c := Change{At: now, Actor: actor, Action: "key.rotate", Key: id}
	err = s.change(ctx, c, func(tx *sql.Tx, c *Change) error {
		var err error
		if old, err = s.key(ctx, tx, id); err != nil {
			return err
		}
		if state := old.State(now); state != KeyActive {
			return conflict("key %s is %s: create a new one with `trackway key create --project %s`", id, state, old.Project)
		}
		var expires time.Time
		if !old.Expires.IsZero() {
			expires = now.Add(old.Expires.Sub(old.Created))
		}
		if old.Expires.IsZero() || until.Before(old.Expires) {
			old.Expires = until
		}
		if _, err := s.exec(ctx, tx, "UPDATE ingest_keys SET expires_ms = ? WHERE id = ?", old.Expires.UnixMilli(), id); err != nil {
			return err
		}
		key, secret = newKey(old.Project, old.Name, now, expires)
		c.Project = old.Project
		c.detail = struct {
			New   string    `json:"new"`
			Until time.Time `json:"old_expires"`
		}{key.ID, old.Expires}
		return s.addKey(ctx, tx, key)
	})
	if err != nil {
		return Key{}, Key{}, "", err
	}
	return key, old, secret, nil
}

// RevokeKey makes a key invalid for good. Collectors learn of it within seconds.
func (s *Store) RevokeKey(ctx context.Context, actor, id string) (Key, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	var key Key
	err := s.change(ctx, Change{At: now, Actor: actor, Action: "key.revoke", Key: id}, func(tx *sql.Tx, c *Change) (err error) {
		if key, err = s.key(ctx, tx, id); err != nil {
			return err
		}
		if !key.Revoked.IsZero() {
			return conflict("key %s is revoked already", id)
		}
		key.Revoked, c.Project = now, key.Project
		_, err = s.exec(ctx, tx, "UPDATE ingest_keys SET revoked_ms = ? WHERE id = ?", now.UnixMilli(), id)
		return err
	})
	if err != nil {
		return Key{}, err
	}
	return key, nil
}

// addKey inserts a key of a project that takes data, within the bound on keys.
func (s *Store) addKey(ctx context.Context, tx *sql.Tx, key Key) error {
	project, err := s.project(ctx, tx, key.Project)
	if err != nil {
		return err
	}
	if !project.Archived.IsZero() {
		return conflict("project %s is archived: it takes no data, so it needs no key", project.ID)
	}
	var n int
	err = tx.QueryRowContext(ctx, s.rebind("SELECT count(*) FROM ingest_keys WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?)"),
		key.Created.UnixMilli()).Scan(&n)
	if err != nil {
		return err
	}
	if n >= MaxKeys {
		return conflict("there are %d valid keys already, as many as there may be: revoke those that are not needed", n)
	}
	_, err = s.exec(ctx, tx, "INSERT INTO ingest_keys ("+keyColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		key.ID, key.Project, key.hash, key.Prefix, key.Name, key.Created.UnixMilli(),
		milliseconds(key.Expires), milliseconds(key.Revoked), milliseconds(key.LastUsed))
	return err
}

const keyColumns = "id, project, hash, prefix, name, created_ms, expires_ms, revoked_ms, last_used_ms"

// Keys gives the keys of a project, or of all with "", the newest last. Revoked
// and expired ones are among them.
func (s *Store) Keys(ctx context.Context, project string) ([]Key, error) {
	if project != "" {
		if _, err := s.project(ctx, s.db, project); err != nil {
			return nil, s.explain(err)
		}
	}
	found, err := s.keys(ctx, s.db, "WHERE ? = '' OR project = ? ORDER BY created_ms, id", project, project)
	return found, s.explain(err)
}

func (s *Store) keys(ctx context.Context, q querier, where string, args ...any) ([]Key, error) {
	rows, err := q.QueryContext(ctx, s.rebind("SELECT "+keyColumns+" FROM ingest_keys "+where), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Key{}
	for rows.Next() {
		var k Key
		var created int64
		var expires, revoked, used sql.NullInt64
		if err := rows.Scan(&k.ID, &k.Project, &k.hash, &k.Prefix, &k.Name, &created, &expires, &revoked, &used); err != nil {
			return nil, err
		}
		k.Created = time.UnixMilli(created).UTC()
		k.Expires, k.Revoked, k.LastUsed = fromMilliseconds(expires), fromMilliseconds(revoked), fromMilliseconds(used)
		found = append(found, k)
	}
	return found, rows.Err()
}

// key gives one key, or ErrNotFound. Somebody may paste the secret instead of the id.
func (s *Store) key(ctx context.Context, q querier, id string) (Key, error) {
	if strings.HasPrefix(id, keyStart) {
		return Key{}, invalid("want the id of a key, such as k_…, got the key itself: `trackway key list` shows the ids")
	}
	found, err := s.keys(ctx, q, "WHERE id = ?", id)
	if err == nil && len(found) == 0 {
		err = notFound("there is no key %q: `trackway key list` shows those there are", id)
	}
	if err != nil {
		return Key{}, err
	}
	return found[0], nil
}
