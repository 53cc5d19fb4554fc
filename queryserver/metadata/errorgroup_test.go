package metadata

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestErrorGroupsAreKeptWithTheirHistory(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		now := clock(s)
		start := *now
		before, err := s.Version(t.Context())
		require.NoError(t, err)
		const group uint64 = math.MaxUint64 - 1
		change := func(c ErrorGroupChange) ErrorGroup {
			*now = now.Add(time.Minute)
			g, err := s.ChangeErrorGroup(t.Context(), "test", "default", group, c)
			require.NoError(t, err)
			return g
		}
		owner := "it's her"
		owned := change(ErrorGroupChange{Owner: &owner})
		assert.Equal(t, ErrorGroup{Project: "default", Group: group, Revision: 1, State: ErrorOpen, Since: *now, Owner: owner, Changed: *now, Actor: "test"}, owned)
		resolved := change(ErrorGroupChange{State: ErrorResolvedInRelease, Release: "v2"})
		nobody := ""
		disowned := change(ErrorGroupChange{Owner: &nobody})
		assert.Equal(t, "v2", disowned.Release, "a new owner leaves the state")
		assert.Equal(t, resolved.Since, disowned.Since)
		assert.Empty(t, disowned.Owner)
		ignored := change(ErrorGroupChange{State: ErrorIgnored, IgnoredUntil: now.Add(time.Hour)})
		assert.Empty(t, ignored.Release, "a new state has its own")
		assert.Equal(t, start.Add(3*time.Minute+time.Hour), ignored.IgnoredUntil)

		_, err = s.ChangeErrorGroup(t.Context(), "test", "default", 7, ErrorGroupChange{State: ErrorResolved})
		require.NoError(t, err)
		all, err := s.ErrorGroups(t.Context(), "default")
		require.NoError(t, err)
		assert.Len(t, all, 2)
		assert.Equal(t, ignored, all[group])
		history, err := s.ErrorGroupHistory(t.Context(), "default", group)
		require.NoError(t, err)
		assert.Equal(t, []ErrorGroup{ignored, disowned, resolved, owned}, history)
		other, err := s.ErrorGroups(t.Context(), "other")
		require.NoError(t, err)
		assert.Empty(t, other, "of another project")
		after, err := s.Version(t.Context())
		require.NoError(t, err)
		assert.Equal(t, before, after, "collectors need not look again")
	})
}

func TestErrorGroupsAreBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		for i := range MaxErrorGroupHistory + 2 {
			owner := fmt.Sprint(i)
			_, err := s.ChangeErrorGroup(t.Context(), "test", "default", 1, ErrorGroupChange{Owner: &owner})
			require.NoError(t, err)
		}
		history, err := s.ErrorGroupHistory(t.Context(), "default", 1)
		require.NoError(t, err)
		assert.Len(t, history, MaxErrorGroupHistory)
		assert.Equal(t, fmt.Sprint(MaxErrorGroupHistory+1), history[0].Owner)

		tx, err := s.db.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		for i := range MaxErrorGroups - 1 {
			_, err := s.exec(t.Context(), tx, "INSERT INTO error_groups ("+errorGroupColumns+") VALUES ('default', ?, 1, 'open', 0, '', NULL, '', 0, '')", groupText(uint64(i+2)))
			require.NoError(t, err)
		}
		require.NoError(t, tx.Commit())
		_, err = s.ChangeErrorGroup(t.Context(), "test", "default", MaxErrorGroups+1, ErrorGroupChange{State: ErrorResolved})
		require.ErrorIs(t, err, ErrConflict)
		_, err = s.ChangeErrorGroup(t.Context(), "test", "default", 1, ErrorGroupChange{State: ErrorResolved})
		require.NoError(t, err, "of a group that is there")
	})
}

func TestErrorGroupChangesThatCannotBe(t *testing.T) {
	s := open(t, FileDSN(t.TempDir()+"/"+FileName))
	now := clock(s)
	long, lines := strings.Repeat("o", maxName+1), "a\nb"
	for want, c := range map[string]ErrorGroupChange{
		"neither":          {},
		"state: ":          {State: "regressed"},
		"release: want":    {State: ErrorResolvedInRelease},
		"with \"open\"":    {State: ErrorOpen, Release: "v1"},
		"a time to come":   {State: ErrorIgnored, IgnoredUntil: *now},
		"with the state":   {State: ErrorResolved, IgnoredUntil: now.Add(time.Hour)},
		"owner: want at":   {Owner: &long},
		"owner: want one":  {Owner: &lines},
		"release: want at": {State: ErrorResolvedInRelease, Release: long},
	} {
		_, err := s.ChangeErrorGroup(t.Context(), "test", "default", 1, c)
		require.ErrorIs(t, err, ErrInvalid, want)
		assert.ErrorContains(t, err, want)
	}
	_, err := s.ChangeErrorGroup(t.Context(), "test", "No", 1, ErrorGroupChange{State: ErrorResolved})
	require.ErrorIs(t, err, ErrInvalid)
}
