package metadata

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProjects(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		now := clock(s)
		ctx := t.Context()

		limits := Limits{ItemsPerSecond: 1, BytesPerSecond: 2, ItemsPerDay: 3, BytesPerDay: 1 << 62}
		shop, err := s.CreateProject(ctx, "cli:me", Project{ID: "shop", Name: "The shop", TTLDays: 7, Limits: limits})
		require.NoError(t, err)
		assert.Equal(t, Project{ID: "shop", Name: "The shop", Created: *now, TTLDays: 7, Limits: limits}, shop)
		plain, err := s.CreateProject(ctx, "cli:me", Project{ID: "plain"})
		require.NoError(t, err)
		assert.Equal(t, Project{ID: "plain", Name: "plain", Created: *now, TTLDays: DefaultTTLDays}, plain)

		*now = now.Add(time.Hour)
		shop, err = s.UpdateProject(ctx, "cli:me", "shop", func(p *Project) {
			p.Name, p.TTLDays, p.Limits.ItemsPerDay = "Shop", 8, 0
			p.ID, p.Archived = "other", *now // neither can be changed so
		})
		require.NoError(t, err)
		assert.Equal(t, Project{ID: "shop", Name: "Shop", Created: now.Add(-time.Hour), TTLDays: 8, Limits: Limits{1, 2, 0, 1 << 62}}, shop)

		plain, err = s.ArchiveProject(ctx, "cli:me", "plain", false)
		require.NoError(t, err)
		assert.Equal(t, *now, plain.Archived)

		projects, err := s.Projects(ctx)
		require.NoError(t, err)
		require.Len(t, projects, 3)
		assert.Equal(t, []Project{plain, shop}, projects[1:])

		plain, err = s.ArchiveProject(ctx, "cli:me", "plain", true)
		require.NoError(t, err)
		assert.Zero(t, plain.Archived)

		changes, err := s.Changes(ctx, "plain", 10)
		require.NoError(t, err)
		var actions []string
		for _, c := range changes {
			actions = append(actions, c.Action)
			assert.Equal(t, "cli:me", c.Actor)
		}
		assert.Equal(t, []string{"project.restore", "project.archive", "project.create"}, actions)
		changes, err = s.Changes(ctx, "shop", 1)
		require.NoError(t, err)
		assert.Contains(t, string(changes[0].Detail), `"ttl_days":8`)
	})
}

func TestProjectsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		ctx := t.Context()
		before, err := s.Version(ctx)
		require.NoError(t, err)
		for text, p := range map[string]Project{
			"project id: want 1 to 40": {ID: "Shop"},
			`got ""`:                   {},
			"ttl_days: want 1 to 3650": {ID: "a", TTLDays: 3651},
			"got -1":                   {ID: "a", TTLDays: -1},
			"items_per_second: want 0": {ID: "a", Limits: Limits{ItemsPerSecond: -2}},
			"bytes_per_day: want 0":    {ID: "a", Limits: Limits{BytesPerDay: -2}},
			"at most 200 characters":   {ID: "a", Name: strings.Repeat("ä", 201)},
			"one line":                 {ID: "a", Name: "a\nb"},
			"printable":                {ID: "a", Name: "a\xff"},
			"some text":                {ID: "a", Name: "  "},
			"41":                       {ID: strings.Repeat("a", 41)},
		} {
			_, err := s.CreateProject(ctx, "test", p)
			if assert.ErrorIs(t, err, ErrInvalid, text) && text != "41" {
				assert.ErrorContains(t, err, text)
			}
		}
		_, err = s.CreateProject(ctx, "test", Project{ID: DefaultProject})
		require.ErrorIs(t, err, ErrConflict)
		_, err = s.UpdateProject(ctx, "test", "nothing", func(*Project) {})
		require.ErrorIs(t, err, ErrNotFound)
		_, err = s.UpdateProject(ctx, "test", DefaultProject, func(p *Project) { p.TTLDays = 0 })
		require.ErrorIs(t, err, ErrInvalid)
		_, err = s.ArchiveProject(ctx, "test", DefaultProject, false)
		require.ErrorIs(t, err, ErrConflict)
		_, err = s.ArchiveProject(ctx, "test", "nothing", false)
		require.ErrorIs(t, err, ErrNotFound)
		after, err := s.Version(ctx)
		require.NoError(t, err)
		assert.Equal(t, before, after, "what is refused changes nothing")
	})
}
