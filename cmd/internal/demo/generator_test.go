package demo

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// traffic is the NDJSON of an hour that contains the whole story.
func traffic(t *testing.T, seed uint64) []byte {
	t.Helper()
	g := NewGenerator(seed, NewStory(noon, time.Hour))
	var out []byte
	for at := g.NextArrival(noon, 1); at.Before(noon.Add(time.Hour)); at = g.NextArrival(at, 1) {
		items := g.Trace(at)
		for i := range items {
			var err error
			out, err = items[i].AppendLine(out)
			require.NoError(t, err)
		}
	}
	return out
}

func TestSeedDecidesEverything(t *testing.T) {
	first, again, other := traffic(t, 7), traffic(t, 7), traffic(t, 8)
	assert.Equal(t, sha256.Sum256(first), sha256.Sum256(again), "the same seed and times must give the same bytes")
	assert.NotEqual(t, sha256.Sum256(first), sha256.Sum256(other))
}

func TestTraceHangsTogether(t *testing.T) {
	g := NewGenerator(1, NewStory(noon, 0))
	for range 2000 {
		items := g.Trace(noon)
		require.Equal(t, "request", items[0].Type)
		require.Empty(t, items[0].ParentSpanID)
		spans := map[string]bool{"": true}
		for _, i := range items {
			require.Equal(t, items[0].TraceID, i.TraceID)
			require.Len(t, i.TraceID, 32)
			require.Len(t, i.SpanID, 16)
			if i.Type != "event" {
				require.False(t, spans[i.SpanID], "span ids are unique")
				spans[i.SpanID] = true
			}
			require.False(t, i.Time.After(noon.Add(time.Millisecond)), "nothing happens after the end of its trace")
		}
		for _, i := range items {
			require.True(t, spans[i.ParentSpanID], "the parent of %s %s is in the trace", i.Type, i.SpanID)
			if i.Type == "event" {
				require.True(t, spans[i.SpanID], "an event belongs to a span of the trace")
			}
		}
		end := items[0].Time.Add(ms(items[0].Duration))
		require.WithinDuration(t, noon, end, time.Millisecond)
	}
}

func TestCatalogAsDescribed(t *testing.T) {
	g := NewGenerator(1, NewStory(noon, 0))
	seen := map[string]bool{}
	names := map[string]bool{}
	for range 50_000 {
		for _, i := range g.Trace(noon) {
			if i.Type == "request" {
				seen[i.Service+" "+i.Method+" "+i.Route] = true
				names[i.Service] = true
			}
		}
	}
	assert.Len(t, seen, len(routes), "every route has traffic")
	assert.InDelta(t, 40, len(routes), 4)
	assert.Len(t, names, 6)
	for i := range routes {
		if routes[i].downstream != "" {
			assert.Contains(t, g.byName, routes[i].downstream)
		}
		assert.Contains(t, services, routes[i].service)
	}
}

func TestIncidentAndRelease(t *testing.T) {
	story := NewStory(noon, 2*time.Hour)
	g := NewGenerator(3, story)
	count := func(at time.Time) (timeouts, requests int, tasks float64, release string) {
		var slow, n float64
		for range 6000 {
			for _, i := range g.Trace(at) {
				if i.Type != "request" {
					continue
				}
				requests++
				if i.Status == 504 {
					timeouts++
					require.NotNil(t, i.Error)
					require.NotEmpty(t, i.Error.Stack)
				}
				if i.Route == "/projects/:id/tasks" && i.Method == http.MethodGet {
					slow, n = slow+i.Duration, n+1
					release = i.Release
				}
			}
		}
		return timeouts, requests, slow / n, release
	}
	quiet, _, before, old := count(story.Release.Add(-time.Minute))
	_, _, after, current := count(story.Release.Add(time.Minute))
	loud, _, _, _ := count(story.IncidentStart.Add(time.Minute))
	assert.Zero(t, quiet)
	assert.Greater(t, loud, 100)
	assert.Equal(t, "v1.4.1", old)
	assert.Equal(t, "v1.4.2", current)
	assert.Greater(t, after, 2*before, "the release makes the task list slower")
}

func TestDailyCurve(t *testing.T) {
	monday := func(hour int) time.Time { return time.Date(2026, 11, 30, hour, 0, 0, 0, time.UTC) }
	assert.InDelta(t, 1.65, DailyCurve(monday(15)), 0.001)
	assert.InDelta(t, 0.35, DailyCurve(monday(3)), 0.001)
	assert.Less(t, DailyCurve(monday(15).AddDate(0, 0, 5)), DailyCurve(monday(15)))
}

func TestLineIsOneJSONObject(t *testing.T) {
	for line := range bytes.Lines(traffic(t, 1)) {
		var item map[string]any
		require.NoError(t, json.Unmarshal(line, &item), "%s", line)
		require.Contains(t, []any{"request", "span", "event"}, item["type"])
	}
}
