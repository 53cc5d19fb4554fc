package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/cmd/internal/bench/recount"
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
)

func point(rate, p99, micros float64) *Point {
	return &Point{
		Scenario: "events", Arm: "a | b <c>", EventsPerSecond: rate,
		Settings:  Settings{Format: "ndjson", Mix: "1:4:1", Rate: 50_000, Connections: 32, Batch: 500, Seed: 7, Projects: 1},
		Sent:      sender.Result{Latency: sender.Latency{Count: 10, P99: p99}, All: sender.Counts{ItemsAccepted: 123_456}},
		Processes: []Process{{Name: "collector", MicrosPerEvent: micros, PeakRSS: 100 << 20}, {Name: "engine", MicrosPerEvent: 12}},
		Visible:   &sender.Latency{P50: p99},
		Tails:     []Tail{{Subscriber: "collector", Answered: sender.Latency{P95: p99}}},
		Rows:      123_456, Tables: &recount.Tables{Journey: 370_368},
		Series: []Sample{
			{At: 1, Accepted: 40_000, P50: 1, P99: 9, RSS: map[string]int64{"collector": 90 << 20}, Cores: map[string]float64{"engine": 0.7}},
			{At: 2, Accepted: 50_000, P50: 2, P99: 8, RSS: map[string]int64{"collector": 95 << 20}, Cores: map[string]float64{"engine": 0.9}},
		},
	}
}

func TestMedianTakesEachFigureForItself(t *testing.T) {
	runs := []*Point{point(100, 30, 5), point(300, 10, 6), point(200, 20, 9)}
	runs[1].Wrong = []string{"rows of requests: want 1, got 0 (-1)"}
	m := Median(runs)
	assert.InDelta(t, 200, m.EventsPerSecond, 0)
	assert.InDelta(t, 20, m.Sent.Latency.P99, 0)
	assert.InDelta(t, 6, m.Process("collector").MicrosPerEvent, 0)
	assert.InDelta(t, 20, m.Visible.P50, 0)
	assert.InDelta(t, 20, m.Tails[0].Answered.P95, 0)
	assert.Equal(t, runs[1].Wrong, m.Wrong, "what was wrong once is wrong")
	assert.Len(t, m.Runs, 3)
	assert.Empty(t, m.Runs[0].Series)
	assert.Len(t, m.Series, 2)
	assert.InDelta(t, 250, Median(append(runs, point(400, 1, 1))).EventsPerSecond, 0)
	assert.Same(t, runs[0], Median(runs[:1]))
}

func full() *Report {
	r := &Report{StartedAt: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), Command: "trackway bench ingest", Points: []*Point{point(49_950, 12, 7)}}
	r.Versions.Engine = "26.7.2.1"
	r.Points[0].Notes = []string{"what is to be said <here>"}
	r.Gates = []Gate{
		{Name: "requests accepted", Scenario: "events", Measured: 49_950, Limit: 49_900, AtLeast: true, Unit: "/s", Passed: true},
		{Name: "p99 of the answer", Scenario: "events", Measured: 24, Limit: 20, Unit: "ms"},
	}
	return r
}

func TestTextSaysEverything(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, full().WriteText(&out))
	for _, want := range []string{
		"ClickHouse 26.7.2.1", "49,950", "ndjson 1:4:1", "123456", "370368", "equal", "what is to be said <here>",
		"requests accepted  events    holds    49,950 /s  ≥ 49,900 /s  +0 %", "p99 of the answer  events    FAILS    24 ms      ≤ 20 ms      -20 %",
	} {
		assert.Contains(t, out.String(), want)
	}
}

func TestMarkdownTablesAreWhole(t *testing.T) {
	columns := 0
	for text := range strings.Lines(string(full().Markdown())) {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "|") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(text, `\|`, ""), "|")
		if columns == 0 {
			columns = n
		}
		assert.Equal(t, columns, n, text)
	}
	assert.Contains(t, string(full().Markdown()), `a \| b <c>`)
}

func TestThePageNeedsNothingElse(t *testing.T) {
	page, err := full().HTML()
	require.NoError(t, err)
	text := string(page)
	assert.NotContains(t, text, "<script")
	assert.Empty(t, regexp.MustCompile(`(?:src|href)\s*=|url\(|@import`).FindString(text), "nothing is fetched")
	assert.Contains(t, text, "a | b &lt;c&gt;")
	assert.NotContains(t, text, "NaN")
	pictures := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(text, -1)
	assert.Len(t, pictures, 6, "one of the CPU, five of the point")
	for _, picture := range pictures {
		for decoder := xml.NewDecoder(strings.NewReader(picture)); ; {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, picture)
		}
	}
}

func TestRatesOfOneLoadAreDrawnTogether(t *testing.T) {
	r := full()
	for _, rate := range []float64{60_000, 70_000} {
		p := point(rate, 5, 5)
		p.Settings.Rate = rate
		r.Points = append(r.Points, p)
	}
	page, err := r.HTML()
	require.NoError(t, err)
	assert.Contains(t, string(page), "events: ndjson 1:4:1, by rate")
	assert.Contains(t, string(page), "items/s</text>")
	assert.NotContains(t, string(page), "NaN")
}

func TestJSONCarriesTheReport(t *testing.T) {
	content, err := json.Marshal(full())
	require.NoError(t, err)
	var back Report
	require.NoError(t, json.Unmarshal(content, &back))
	assert.Equal(t, full(), &back)
}

func TestCeiling(t *testing.T) {
	for v, want := range map[float64]float64{0: 1, 0.03: 0.05, 1: 1, 1.1: 2, 4.9: 5, 51: 100, 20_001: 50_000} {
		assert.InDelta(t, want, ceiling(v), 1e-9, "%g", v)
	}
}
