package admissionextension

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/conventions"
)

// noon is a moment of a day of UTC.
var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func TestRates(t *testing.T) {
	limits := admission.Limits{BytesPerSecond: 100}
	p := &project{id: "shop", burst: 2}
	require.Nil(t, p.admit(noon, limits))
	p.charge(noon, amount{Bytes: 199})
	require.Nil(t, p.admit(noon, limits), "a burst of 2 s is not used up")
	p.charge(noon, amount{Bytes: 501})

	refusal := p.admit(noon, limits)
	require.NotNil(t, refusal)
	assert.Equal(t, "bytes_per_second", refusal.Limit)
	assert.EqualValues(t, 100, refusal.Max)
	assert.EqualValues(t, 6, refusal.RetrySeconds(), "a debt of 500 and one token more")
	assert.Equal(t, "project shop is over its limit of 100 (bytes_per_second): send again in 6 s", refusal.Message)

	require.NotNil(t, p.admit(noon.Add(5*time.Second), limits))
	require.Nil(t, p.admit(noon.Add(time.Duration(refusal.RetrySeconds())*time.Second), limits), "who waits as told is let in")

	// A clock that was set back neither fills nor empties.
	p.charge(noon.Add(time.Hour), amount{Bytes: 300})
	require.NotNil(t, p.admit(noon.Add(-time.Hour), limits))
	require.Nil(t, p.admit(noon.Add(time.Hour+2*time.Second), limits))
}

func TestRatesThatChange(t *testing.T) {
	p := &project{id: "shop", burst: 1}
	require.Nil(t, p.admit(noon, admission.Limits{BytesPerSecond: 10}))
	p.charge(noon, amount{Items: 1000, Bytes: 1000})
	slow := p.admit(noon, admission.Limits{BytesPerSecond: 10})
	require.NotNil(t, slow)
	fast := p.admit(noon, admission.Limits{BytesPerSecond: 1000})
	require.NotNil(t, fast, "a debt outlives a change of the rate")
	assert.Less(t, fast.RetrySeconds(), slow.RetrySeconds())
	require.Nil(t, p.admit(noon, admission.Limits{ItemsPerSecond: 10}), "a new limit begins with its burst")
}

func TestDays(t *testing.T) {
	limits := admission.Limits{ItemsPerDay: 10, BytesPerDay: 1000}
	p := &project{id: "shop", burst: 1}
	evening := time.Date(2026, 12, 1, 23, 59, 58, 1, time.UTC)
	require.Nil(t, p.admit(evening, limits))
	p.charge(evening, amount{Items: 10, Bytes: 1})
	refusal := p.admit(evening, limits)
	require.NotNil(t, refusal)
	assert.Equal(t, "items_per_day", refusal.Limit)
	assert.EqualValues(t, 2, refusal.RetrySeconds(), "until midnight, rounded up")
	require.Nil(t, p.admit(evening.Add(2*time.Second), limits))
	require.Nil(t, p.admit(evening, limits), "a clock that was set back does not bring yesterday back")

	p.charge(evening.Add(2*time.Second), amount{Bytes: 1000})
	refusal = p.admit(evening.Add(time.Minute), limits)
	require.NotNil(t, refusal)
	assert.Equal(t, "bytes_per_day", refusal.Limit)
	p.charge(evening.Add(time.Minute), amount{Bytes: -1})
	require.Nil(t, p.admit(evening.Add(time.Minute), limits), "what was not accepted does not count")
}

func TestUsageFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "usage.json")
	cfg := createDefaultConfig().(*Config)
	cfg.UsageFile = path
	limits := admission.Limits{BytesPerDay: 1000}
	t.Run("written", func(t *testing.T) {
		a := start(t, cfg, nil)
		now := time.Now()
		p := a.projects.get("shop")
		require.Nil(t, p.admit(now, limits))
		p.charge(now, amount{Items: 3, Bytes: 1000})
	})
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	t.Run("read by the next", func(t *testing.T) {
		a := start(t, cfg, nil)
		p := a.projects.get("shop")
		_, today := p.usage()
		assert.Equal(t, amount{Items: 3, Bytes: 1000}, today)
		assert.NotNil(t, p.admit(time.Now(), limits))
	})
	ps := &projects{max: 10, byID: map[string]*project{}}
	require.NoError(t, ps.load(path, time.Now().Add(48*time.Hour)))
	assert.Empty(t, ps.byID, "another day's usage does not count")
	require.NoError(t, ps.load(path+".absent", noon))
	for text, want := range map[string]string{
		`{`:                              "remove it to begin the day anew",
		`{"format":2}`:                   "format 2, want 1",
		`{"format":1,"day":"yesterday"}`: "day: ",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		assert.ErrorContains(t, ps.load(path, noon), want)
	}
}

func TestProjectsAreBounded(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.MaxProjects, cfg.FlushInterval = 2, time.Hour
	cfg.Limits.BytesPerSecond = 10
	a := start(t, cfg, nil)
	now := time.Now()
	for _, id := range []string{"a", "b"} {
		p, refusal := a.admit(authData{conventions.Project: id}, now)
		require.Nil(t, refusal)
		require.NotNil(t, p)
	}
	_, refusal := a.admit(authData{conventions.Project: "c"}, now)
	require.NotNil(t, refusal)
	assert.Equal(t, "max_projects", refusal.Reason)
	a.projects.get("a").charge(now, amount{Bytes: 1})
	a.projects.sweep(now)
	assert.Equal(t, 1, a.projects.len(), "a project that owes nothing is forgotten")
	_, refusal = a.admit(authData{conventions.Project: "c"}, now)
	require.Nil(t, refusal)
}

// authData is what an authenticator leaves in the context.
type authData map[string]any

func (a authData) GetAttribute(name string) any { return a[name] }
func (a authData) GetAttributeNames() []string  { return nil }

func TestWhoseLimits(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Limits = admission.Limits{ItemsPerSecond: 5, BytesPerDay: 7}
	a := start(t, cfg, nil)
	refused := admission.Forbidden("archived_project", "archived")
	for name, tt := range map[string]struct {
		auth    client.AuthData
		id      string
		limits  admission.Limits
		refusal *admission.Refusal
	}{
		"nobody has to authenticate": {limits: cfg.Limits},
		"a project without its own":  {auth: authData{conventions.Project: "shop"}, id: "shop", limits: cfg.Limits},
		"a project with its own": {
			auth: authData{conventions.Project: "shop", admission.LimitsAttribute: &admission.Limits{ItemsPerSecond: 9, ItemsPerDay: 8, BytesPerSecond: 6}},
			id:   "shop", limits: admission.Limits{ItemsPerSecond: 9, BytesPerSecond: 6, ItemsPerDay: 8, BytesPerDay: 7},
		},
		"refused by the authenticator": {auth: authData{conventions.Project: refused}, limits: cfg.Limits, refusal: refused},
	} {
		t.Run(name, func(t *testing.T) {
			id, limits, refusal := a.identify(tt.auth)
			assert.Equal(t, tt.id, id)
			assert.Equal(t, tt.limits, limits)
			assert.Equal(t, tt.refusal, refusal)
		})
	}
}
