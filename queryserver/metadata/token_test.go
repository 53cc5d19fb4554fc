package metadata

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTokens(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		now := clock(s)
		made, secret, err := s.CreateToken(t.Context(), "test", Token{Project: "default", Scope: ScopeWrite, Name: "ci"}, time.Hour)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(secret, tokenStart))
		assert.Equal(t, HashKey(secret), made.Hash)
		all, _, err := s.CreateToken(t.Context(), "test", Token{Scope: ScopeRead, Name: "Größe ☃"}, 0)
		require.NoError(t, err)
		found, err := s.ValidTokens(t.Context())
		require.NoError(t, err)
		assert.ElementsMatch(t, []Token{made, all}, found)

		*now = now.Add(time.Hour)
		assert.Equal(t, KeyExpired, made.State(*now))
		found, err = s.ValidTokens(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []Token{all}, found)
		revoked, err := s.RevokeToken(t.Context(), "test", all.ID)
		require.NoError(t, err)
		assert.Equal(t, KeyRevoked, revoked.State(*now))
		found, err = s.ValidTokens(t.Context())
		require.NoError(t, err)
		assert.Empty(t, found)
		found, err = s.Tokens(t.Context())
		require.NoError(t, err)
		assert.Len(t, found, 2)

		changes, err := s.Changes(t.Context(), "", 3)
		require.NoError(t, err)
		assert.Equal(t, "token.revoke", changes[0].Action)
		for _, c := range changes {
			assert.NotContains(t, string(c.Detail), secret)
			assert.NotContains(t, string(c.Detail), made.Hash)
		}
		_, err = s.RevokeToken(t.Context(), "test", all.ID)
		assert.ErrorIs(t, err, ErrConflict)
		_, err = s.RevokeToken(t.Context(), "test", "t_none")
		assert.ErrorIs(t, err, ErrNotFound)
		_, err = s.RevokeToken(t.Context(), "test", secret)
		assert.ErrorIs(t, err, ErrInvalid)
	})
}

func TestTokensThatCannotBe(t *testing.T) {
	s := open(t, FileDSN(t.TempDir()+"/"+FileName))
	for _, c := range []struct {
		token    Token
		lifetime time.Duration
		want     error
	}{
		{Token{Scope: ScopeRead}, 0, ErrInvalid},
		{Token{Scope: "root", Name: "t"}, 0, ErrInvalid},
		{Token{Name: "t"}, 0, ErrInvalid},
		{Token{Scope: ScopeRead, Name: "a\r\nb"}, 0, ErrInvalid},
		{Token{Scope: ScopeRead, Name: "t"}, -1, ErrInvalid},
		{Token{Scope: ScopeRead, Name: "t", Project: "none"}, 0, ErrNotFound},
	} {
		_, _, err := s.CreateToken(t.Context(), "test", c.token, c.lifetime)
		assert.ErrorIs(t, err, c.want, "%+v", c)
	}
}

func TestScopes(t *testing.T) {
	assert.True(t, ScopeAdmin.Includes(ScopeWrite))
	assert.True(t, ScopeRead.Includes(ScopeRead))
	assert.False(t, ScopeRead.Includes(ScopeWrite))
	assert.False(t, ScopeAdmin.Includes("root"))
	assert.False(t, Scope("").Includes(""))
}
