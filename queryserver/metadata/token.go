package metadata

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

const (
	// tokenStart begins every API token, so that secret scanners can know it.
	tokenStart = "twt_"
	// tokenIDStart begins every id of a token.
	tokenIDStart = "t_"
	// MaxTokens bounds the tokens that are neither revoked nor expired: every query
	// server holds them in memory.
	MaxTokens = 10_000
)

// Scope is what a token allows. Each includes those before it.
type Scope string

// The scopes, from the least to the most.
const (
	ScopeRead  Scope = "read"  // questions
	ScopeWrite Scope = "write" // and markers
	ScopeAdmin Scope = "admin" // and everything else
)

func (s Scope) rank() int {
	switch s {
	case ScopeRead:
		return 1
	case ScopeWrite:
		return 2
	case ScopeAdmin:
		return 3
	}
	return 0
}

// Includes says whether s allows what needs the scope other. A scope that does
// not exist allows nothing and is allowed by nothing.
func (s Scope) Includes(other Scope) bool { return other.rank() > 0 && s.rank() >= other.rank() }

// Token is an API token, without the secret.
type Token struct {
	ID      string    `json:"id"`
	Project string    `json:"project,omitempty"` // "": all
	Scope   Scope     `json:"scope"`
	Name    string    `json:"name"`
	Prefix  string    `json:"prefix"` // the first characters of the secret
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	Revoked time.Time `json:"revoked,omitzero"` // zero: not
	// Hash is HashKey of the secret.
	Hash string `json:"-"`
}

// State is one of the Key… constants.
func (t Token) State(now time.Time) string {
	return Key{Expires: t.Expires, Revoked: t.Revoked}.State(now)
}

// CreateToken adds an API token and gives the secret, which is not stored and
// cannot be had again. Of t it takes project, scope and name; a lifetime of 0 is
// without end.
func (s *Store) CreateToken(ctx context.Context, actor string, t Token, lifetime time.Duration) (Token, string, error) {
	if err := checkName(t.Name); err != nil {
		return Token{}, "", err
	}
	if t.Scope.rank() == 0 {
		return Token{}, "", invalid("scope: want read, write or admin, got %q", t.Scope)
	}
	if lifetime < 0 || lifetime > MaxKeyLifetime {
		return Token{}, "", invalid("lifetime: want 0 (no end) to %s, got %s", MaxKeyLifetime, lifetime)
	}
	secret := tokenStart + random(20)
	now := s.now().UTC().Truncate(time.Millisecond)
	t = Token{
		ID: tokenIDStart + random(10), Project: t.Project, Scope: t.Scope, Name: t.Name,
		Prefix: secret[:len(tokenStart)+shownChars], Created: now, Hash: HashKey(secret),
	}
	if lifetime > 0 {
		t.Expires = now.Add(lifetime)
	}
	c := Change{At: now, Actor: actor, Action: "token.create", Project: t.Project, detail: t}
	err := s.change(ctx, c, func(tx *sql.Tx, _ *Change) error {
		if t.Project != "" {
			if _, err := s.project(ctx, tx, t.Project); err != nil {
				return err
			}
		}
		var n int
		err := tx.QueryRowContext(ctx, s.rebind("SELECT count(*) FROM api_tokens WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?)"), now.UnixMilli()).Scan(&n)
		if err != nil {
			return err
		}
		if n >= MaxTokens {
			return conflict("there are %d valid tokens already, as many as there may be: revoke those that are not needed", n)
		}
		_, err = s.exec(ctx, tx, "INSERT INTO api_tokens ("+tokenColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			t.ID, t.Project, string(t.Scope), t.Hash, t.Prefix, t.Name, now.UnixMilli(), milliseconds(t.Expires), nil)
		return err
	})
	if err != nil {
		return Token{}, "", err
	}
	return t, secret, nil
}

// RevokeToken makes a token invalid for good. Query servers learn of it within
// their poll interval.
func (s *Store) RevokeToken(ctx context.Context, actor, id string) (Token, error) {
	if strings.HasPrefix(id, tokenStart) {
		return Token{}, invalid("want the id of a token, such as t_…, got the token itself: `trackway token list` shows the ids")
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	var t Token
	err := s.change(ctx, Change{At: now, Actor: actor, Action: "token.revoke"}, func(tx *sql.Tx, c *Change) error {
		found, err := s.tokens(ctx, tx, "WHERE id = ?", id)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return notFound("there is no token %q: `trackway token list` shows those there are", id)
		}
		if t = found[0]; !t.Revoked.IsZero() {
			return conflict("token %s is revoked already", id)
		}
		t.Revoked, c.Project, c.detail = now, t.Project, t
		_, err = s.exec(ctx, tx, "UPDATE api_tokens SET revoked_ms = ? WHERE id = ?", now.UnixMilli(), id)
		return err
	})
	if err != nil {
		return Token{}, err
	}
	return t, nil
}

// Tokens gives all tokens, the newest last. Revoked and expired ones are among them.
func (s *Store) Tokens(ctx context.Context) ([]Token, error) {
	found, err := s.tokens(ctx, s.db, "ORDER BY created_ms, id")
	return found, s.explain(err)
}

// ValidTokens gives those that are neither revoked nor expired.
func (s *Store) ValidTokens(ctx context.Context) ([]Token, error) {
	found, err := s.tokens(ctx, s.db, "WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?)", s.now().UnixMilli())
	return found, s.explain(err)
}

const tokenColumns = "id, project, scope, hash, prefix, name, created_ms, expires_ms, revoked_ms"

func (s *Store) tokens(ctx context.Context, q querier, where string, args ...any) ([]Token, error) {
	rows, err := q.QueryContext(ctx, s.rebind("SELECT "+tokenColumns+" FROM api_tokens "+where), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Token{}
	for rows.Next() {
		var t Token
		var created int64
		var expires, revoked sql.NullInt64
		if err := rows.Scan(&t.ID, &t.Project, &t.Scope, &t.Hash, &t.Prefix, &t.Name, &created, &expires, &revoked); err != nil {
			return nil, err
		}
		t.Created, t.Expires, t.Revoked = time.UnixMilli(created).UTC(), fromMilliseconds(expires), fromMilliseconds(revoked)
		found = append(found, t)
	}
	return found, rows.Err()
}
