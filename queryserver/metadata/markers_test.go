package metadata

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMarkers(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		now := clock(s)
		before, err := s.Version(t.Context())
		require.NoError(t, err)
		for i := range 5 {
			_, err := s.CreateMarker(t.Context(), Marker{Project: "default", At: now.Add(time.Duration(i) * time.Hour), Title: fmt.Sprint("v", i), Actor: "test"})
			require.NoError(t, err)
		}
		made, err := s.CreateMarker(t.Context(), Marker{
			Project: "other", At: now.Add(time.Nanosecond), Title: "it's out", Release: "v1", Service: "api", Env: "prod", URL: "https://ci.example/7", Actor: "test",
		})
		require.NoError(t, err)
		found, err := s.Markers(t.Context(), "other", "", now.Add(-time.Hour), now.Add(time.Hour), 10)
		require.NoError(t, err)
		assert.Equal(t, []Marker{made}, found)
		assert.Equal(t, *now, made.At, "times are whole milliseconds")
		later, err := s.CreateMarker(t.Context(), Marker{Project: "other", At: now.Add(time.Minute), Title: "of another", Service: "web", Actor: "test"})
		require.NoError(t, err)
		found, err = s.Markers(t.Context(), "other", "api", now.Add(-time.Hour), now.Add(time.Hour), 1)
		require.NoError(t, err)
		assert.Equal(t, []Marker{made}, found, "the limit counts those of the service")
		require.NoError(t, s.DeleteMarker(t.Context(), "other", later.ID))

		titles := func(from, to time.Time, limit int) string {
			found, err := s.Markers(t.Context(), "default", "", from, to, limit)
			require.NoError(t, err)
			var out []string
			for _, m := range found {
				out = append(out, m.Title)
			}
			return strings.Join(out, " ")
		}
		assert.Equal(t, "v0 v1 v2 v3 v4", titles(*now, now.Add(5*time.Hour), 10))
		assert.Equal(t, "v1 v2", titles(now.Add(1), now.Add(3*time.Hour), 10), "the end is not in it")
		assert.Equal(t, "v3 v4", titles(*now, now.Add(5*time.Hour), 2), "the newest of too many")

		assert.ErrorIs(t, s.DeleteMarker(t.Context(), "default", made.ID), ErrNotFound, "of another project")
		require.NoError(t, s.DeleteMarker(t.Context(), "other", made.ID))
		assert.ErrorIs(t, s.DeleteMarker(t.Context(), "other", made.ID), ErrNotFound)
		after, err := s.Version(t.Context())
		require.NoError(t, err)
		assert.Equal(t, before, after, "collectors need not look again")
	})
}

func TestTheOldestMarkersGo(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		now := clock(s)
		tx, err := s.db.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		for i := range MaxMarkers {
			_, err := s.exec(t.Context(), tx, "INSERT INTO markers ("+markerColumns+") VALUES (?, 'default', ?, 't', '', '', '', '', '', 0)", fmt.Sprint(i), i)
			require.NoError(t, err)
		}
		require.NoError(t, tx.Commit())
		_, err = s.CreateMarker(t.Context(), Marker{Project: "default", At: *now, Title: "newest"})
		require.NoError(t, err)
		found, err := s.Markers(t.Context(), "default", "", time.UnixMilli(0), now.Add(time.Hour), 2*MaxMarkers)
		require.NoError(t, err)
		assert.Len(t, found, MaxMarkers)
		assert.Equal(t, "1", found[0].ID, "the oldest is gone")
	})
}

func TestMarkersThatCannotBe(t *testing.T) {
	s := open(t, FileDSN(t.TempDir()+"/"+FileName))
	for want, m := range map[string]Marker{
		"project id": {Project: "No", Title: "t"},
		"title":      {Project: "default", Title: " "},
		"printable":  {Project: "default", Title: "a\nb"},
		"release":    {Project: "default", Title: "t", Release: strings.Repeat("r", maxName+1)},
		"service":    {Project: "default", Title: "t", Service: "\xff"},
		"url":        {Project: "default", Title: "t", URL: "javascript:alert(1)"},
		"of at most": {Project: "default", Title: "t", URL: "https://x/" + strings.Repeat("u", maxMarkerURL)},
	} {
		_, err := s.CreateMarker(t.Context(), m)
		require.ErrorIs(t, err, ErrInvalid)
		assert.ErrorContains(t, err, want)
	}
}
