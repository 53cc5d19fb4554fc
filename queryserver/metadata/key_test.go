package metadata

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKeyForm(t *testing.T) {
	form := regexp.MustCompile(`^twk_[a-z2-7]{32}$`)
	seen := map[string]bool{}
	for range 1000 {
		key, secret := newKey("p", "n", time.Now(), time.Time{})
		require.Regexp(t, form, secret)
		require.Regexp(t, `^k_[a-z2-7]{16}$`, key.ID)
		require.True(t, strings.HasPrefix(secret, key.Prefix))
		require.Len(t, key.Prefix, 10)
		require.False(t, seen[secret] || seen[key.ID])
		seen[secret], seen[key.ID] = true, true
	}
	sum := sha256.Sum256([]byte("twk_abc"))
	assert.Equal(t, hex.EncodeToString(sum[:]), HashKey("twk_abc"))
}

// accepted are the ids of the keys that a collector would take now.
func accepted(t *testing.T, s *Store, now time.Time) []string {
	t.Helper()
	snapshot, err := s.Snapshot(t.Context())
	require.NoError(t, err)
	archived := map[string]bool{}
	for _, p := range snapshot.Projects {
		archived[p.ID] = p.Archived
	}
	ids := []string{}
	for _, k := range snapshot.Keys {
		if !archived[k.Project] && (k.Expires.IsZero() || now.Before(k.Expires)) {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

func TestKeyLife(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		now := clock(s)
		ctx := t.Context()

		first, secret, err := s.CreateKey(ctx, "cli:me", DefaultProject, "web", 0)
		require.NoError(t, err)
		assert.Equal(t, []string{first.ID}, accepted(t, s, *now))
		snapshot, err := s.Snapshot(ctx)
		require.NoError(t, err)
		assert.Equal(t, SnapshotKey{Hash: HashKey(secret), Project: DefaultProject, ID: first.ID}, snapshot.Keys[0])

		// Both are valid while the rotation lasts.
		*now = now.Add(time.Hour)
		second, old, other, err := s.RotateKey(ctx, "cli:me", first.ID, 24*time.Hour)
		require.NoError(t, err)
		assert.NotEqual(t, secret, other)
		assert.Equal(t, "web", second.Name)
		assert.Zero(t, second.Expires)
		assert.Equal(t, now.Add(24*time.Hour), old.Expires)
		assert.ElementsMatch(t, []string{first.ID, second.ID}, accepted(t, s, *now))
		*now = now.Add(24 * time.Hour)
		assert.Equal(t, []string{second.ID}, accepted(t, s, *now))

		revoked, err := s.RevokeKey(ctx, "cli:me", second.ID)
		require.NoError(t, err)
		assert.Equal(t, *now, revoked.Revoked)
		assert.Empty(t, accepted(t, s, *now))

		keys, err := s.Keys(ctx, DefaultProject)
		require.NoError(t, err)
		require.Len(t, keys, 2)
		assert.Equal(t, []string{KeyExpired, KeyRevoked}, []string{keys[0].State(*now), keys[1].State(*now)})

		for id, state := range map[string]string{first.ID: KeyExpired, second.ID: KeyRevoked} {
			_, _, _, err = s.RotateKey(ctx, "cli:me", id, 0)
			require.ErrorIs(t, err, ErrConflict)
			require.ErrorContains(t, err, state)
		}
		_, err = s.RevokeKey(ctx, "cli:me", second.ID)
		require.ErrorIs(t, err, ErrConflict)
	})
}

func TestExpiringKeyIsReplacedByOneThatExpires(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		now := clock(s)
		key, _, err := s.CreateKey(t.Context(), "test", DefaultProject, "ci", 48*time.Hour)
		require.NoError(t, err)
		*now = now.Add(47 * time.Hour)
		next, old, _, err := s.RotateKey(t.Context(), "test", key.ID, 24*time.Hour)
		require.NoError(t, err)
		assert.Equal(t, key.Expires, old.Expires, "an overlap makes no key live longer")
		assert.Equal(t, now.Add(48*time.Hour), next.Expires)
	})
}

func TestArchivedProjectTakesNoKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		ctx := t.Context()
		_, err := s.CreateProject(ctx, "test", Project{ID: "shop", TTLDays: 3})
		require.NoError(t, err)
		key, _, err := s.CreateKey(ctx, "test", "shop", "web", 0)
		require.NoError(t, err)
		_, err = s.ArchiveProject(ctx, "test", "shop", false)
		require.NoError(t, err)
		snapshot, err := s.Snapshot(ctx)
		require.NoError(t, err)
		assert.Empty(t, accepted(t, s, time.Now()))
		assert.Equal(t, SnapshotProject{ID: "shop", TTLDays: 3, Archived: true}, snapshot.Projects[1])
		_, _, err = s.CreateKey(ctx, "test", "shop", "web", 0)
		require.ErrorIs(t, err, ErrConflict)
		_, err = s.ArchiveProject(ctx, "test", "shop", true)
		require.NoError(t, err)
		assert.Equal(t, []string{key.ID}, accepted(t, s, time.Now()))
	})
}

func TestKeysRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		ctx := t.Context()
		_, secret, err := s.CreateKey(ctx, "test", DefaultProject, "web", 0)
		require.NoError(t, err)
		before, err := s.Version(ctx)
		require.NoError(t, err)
		_, _, err = s.CreateKey(ctx, "test", "nothing", "web", 0)
		require.ErrorIs(t, err, ErrNotFound)
		_, _, err = s.CreateKey(ctx, "test", DefaultProject, "", 0)
		require.ErrorIs(t, err, ErrInvalid)
		_, _, err = s.CreateKey(ctx, "test", DefaultProject, "web", -time.Second)
		require.ErrorIs(t, err, ErrInvalid)
		_, _, _, err = s.RotateKey(ctx, "test", "k_nothing", time.Hour)
		require.ErrorIs(t, err, ErrNotFound)
		_, _, _, err = s.RotateKey(ctx, "test", "k_nothing", -time.Hour)
		require.ErrorIs(t, err, ErrInvalid)
		_, err = s.RevokeKey(ctx, "test", secret)
		require.ErrorIs(t, err, ErrInvalid)
		assert.NotContains(t, err.Error(), secret)
		_, err = s.Keys(ctx, "nothing")
		require.ErrorIs(t, err, ErrNotFound)
		after, err := s.Version(ctx)
		require.NoError(t, err)
		assert.Equal(t, before, after, "what is refused changes nothing")
	})
}

// TestSecretIsNowhere looks for the key in everything that is stored and shown.
func TestSecretIsNowhere(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		key, secret, err := s.CreateKey(t.Context(), "test", DefaultProject, "web", 0)
		require.NoError(t, err)
		changes, err := s.Changes(t.Context(), "", 100)
		require.NoError(t, err)
		keys, err := s.Keys(t.Context(), "")
		require.NoError(t, err)
		shown, err := json.Marshal([]any{key, keys, changes})
		require.NoError(t, err)
		assert.NotContains(t, string(shown), secret[len(keyStart)+shownChars:])
		assert.NotContains(t, string(shown), HashKey(secret))
		for _, table := range []string{"ingest_keys", "changes"} {
			rows, err := s.db.QueryContext(t.Context(), "SELECT * FROM "+table)
			require.NoError(t, err)
			columns, err := rows.Columns()
			require.NoError(t, err)
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			n := 0
			for ; rows.Next(); n++ {
				require.NoError(t, rows.Scan(values...))
				for _, v := range values {
					assert.NotContains(t, fmt.Sprint(*v.(*any)), secret[len(keyStart)+shownChars:])
				}
			}
			require.NoError(t, rows.Err())
			assert.Positive(t, n)
			rows.Close()
		}
	})
}

// TestSnapshotIsBounded weighs the largest snapshot there can be.
func TestSnapshotIsBounded(t *testing.T) {
	key, secret := newKey(strings.Repeat("p", 40), "", time.Now(), time.Now())
	largest := time.Date(2036, 12, 1, 0, 0, 0, 999e6, time.UTC)
	snapshot := Snapshot{Version: "ffffffffffff-9223372036854775807"}
	for range MaxKeys {
		snapshot.Keys = append(snapshot.Keys, SnapshotKey{Hash: HashKey(secret), Project: key.Project, ID: key.ID, Expires: largest})
	}
	most := int64(math.MaxInt64)
	for range MaxProjects {
		snapshot.Projects = append(snapshot.Projects, SnapshotProject{ID: key.Project, TTLDays: MaxTTLDays, Archived: true, Limits: Limits{most, most, most, most}})
	}
	text, err := json.Marshal(snapshot)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(text), MaxSnapshotBytes)
	assert.Greater(t, len(text), MaxSnapshotBytes/2, "the bound says something")
}

func TestKeysAreBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		require.NoError(t, s.transact(t.Context(), nil, func(tx *sql.Tx) error { return addKeys(t.Context(), s, tx, MaxKeys-1) }))
		last, _, err := s.CreateKey(t.Context(), "test", DefaultProject, "last", 0)
		require.NoError(t, err)
		_, _, err = s.CreateKey(t.Context(), "test", DefaultProject, "one more", 0)
		require.ErrorIs(t, err, ErrConflict)
		require.ErrorContains(t, err, "revoke those that are not needed")
		_, err = s.RevokeKey(t.Context(), "test", last.ID)
		require.NoError(t, err)
		_, _, err = s.CreateKey(t.Context(), "test", DefaultProject, "again", 0)
		require.NoError(t, err)
	})
}
