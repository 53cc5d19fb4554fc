package demo

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// named gives what a run with a seed names while it makes n traces from a time.
func named(t *testing.T, seed uint64, from time.Time, n int) map[string]bool {
	t.Helper()
	g := NewGenerator(seed, NewStory(from, 0))
	ids := map[string]bool{}
	for i := range n {
		for _, item := range g.Trace(from.Add(time.Duration(i) * time.Second)) {
			ids[item.TraceID], ids[item.SpanID] = true, true
			if item.RequestID != "" {
				ids[item.RequestID] = true
			}
			for _, key := range []string{"session_id", "order_id"} {
				if id := item.Correlation[key]; id != "" {
					ids[id] = true
				}
			}
		}
	}
	return ids
}

func TestLaterRunNamesOtherThings(t *testing.T) {
	first := named(t, 1, noon, 2000)
	for id := range named(t, 1, noon.Add(time.Microsecond), 2000) {
		require.Falsef(t, first[id], "%s is in two runs", id)
	}
	assert.Equal(t, first, named(t, 1, noon, 2000), "the same seed and times name the same")
}

func TestLaterRunHasTheSameCustomers(t *testing.T) {
	first, later := NewGenerator(1, NewStory(noon, 0)), NewGenerator(1, NewStory(noon.Add(time.Hour), 0))
	for i, u := range first.world.users {
		require.Equal(t, *u, *later.world.users[i])
	}
}

func TestStoryGoesOn(t *testing.T) {
	story := NewStory(noon, 0)
	for name, c := range map[string]struct {
		after time.Duration // of the restart, from the start of the first run
		want  Story
		says  string
	}{
		"before anything happened": {time.Minute, story, "projects v1.4.2 comes at 12:12:00, and the payment provider fails from 12:04:00 to 12:08:00 (UTC)"},
		"during the incident":      {5 * time.Minute, story, "projects v1.4.2 comes at 12:12:00, and the payment provider fails from 12:04:00 to 12:08:00 (UTC)"},
		"after everything": {time.Hour, Story{
			IncidentStart: noon.Add(time.Hour + nextIncidentAfter),
			IncidentEnd:   noon.Add(time.Hour + nextIncidentAfter + nextIncidentLength),
			Release:       story.Release,
		}, "projects v1.4.2 is out since 12:12:00, and the payment provider fails from 13:04:00 to 13:08:00 (UTC)"},
	} {
		t.Run(name, func(t *testing.T) {
			now := noon.Add(c.after)
			got := story.resume(now)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.says, got.tell(now))
		})
	}
}

// TestRestartSendsNoHistoryAgain restarts a run with the same options, as a
// supervisor does.
func TestRestartSendsNoHistoryAgain(t *testing.T) {
	url, items := endpoint(t, func(int64) bool { return false })
	file := filepath.Join(t.TempDir(), "demo.json")
	run := func() (Totals, string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var log bytes.Buffer
		totals, err := Live(ctx, LiveOptions{
			URL: url, Seed: 1, Rate: 1, BackfillHours: 1, BackfillRate: 0.5, StoryFile: file, Log: &log, Ready: cancel,
		})
		require.NoError(t, err)
		return totals, log.String()
	}
	first, said := run()
	assert.Greater(t, first.Requests, 500)
	assert.Contains(t, said, "sending 1.0 hours of history")
	before, _, err := readStory(file)
	require.NoError(t, err)

	sent := items.Load()
	_, said = run()
	assert.Contains(t, said, "no history is sent again")
	assert.NotContains(t, said, "hours of history")
	assert.Less(t, items.Load()-sent, sent/2, "history came again")
	after, _, err := readStory(file)
	require.NoError(t, err)
	assert.True(t, before.Release.Equal(after.Release), "what is released stays released")
}

func TestUnreadableStoryIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.json")
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	_, err := Live(t.Context(), LiveOptions{URL: "http://127.0.0.1:1", Rate: 1, StoryFile: file, Log: &bytes.Buffer{}})
	require.ErrorContains(t, err, file)
}
