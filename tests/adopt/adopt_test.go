package adopt_test

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

//go:embed collector.yaml
var configuration string

const (
	spanCount = 2000
	logCount  = 1500
)

// arrival is how long data may take to be there before a test gives up.
const arrival = 60 * time.Second

type stage struct {
	engine         *harness.Engine
	source, target string // OTLP over HTTP
	state          string
}

func newStage(t *testing.T, json bool) *stage {
	t.Helper()
	engine := harness.StartEngine(t)
	a := harness.FreeAddresses(t, 3)
	harness.StartCollector(t, configuration, a[0], "HEALTH="+a[0], "OTLP_SOURCE="+a[1], "OTLP_TARGET="+a[2],
		"CLICKHOUSE="+engine.URL(), "PASSWORD="+engine.Password,
		"JOURNAL="+filepath.Join(t.TempDir(), "journal"), "LETTERS="+filepath.Join(t.TempDir(), "letters"), fmt.Sprint("JSON=", json))
	return &stage{engine: engine, source: "http://" + a[1], target: "http://" + a[2], state: filepath.Join(t.TempDir(), "state")}
}

// adopt runs the command; it is killed after a time unless that is 0.
func (s *stage) adopt(t *testing.T, kill time.Duration, args ...string) (output string, killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness.Trackway(t), append([]string{
		"migrate", "adopt", "--from", s.engine.URL(), "--to", s.target, "--state", s.state}, args...)...)
	cmd.Env = append(os.Environ(), "TRACKWAY_ADOPT_PASSWORD="+s.engine.Password)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	if kill > 0 {
		timer := time.AfterFunc(kill, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	if kill > 0 && err != nil && cmd.ProcessState.ExitCode() == -1 {
		return out.String(), true
	}
	require.NoError(t, err, out.String())
	return out.String(), false
}

func (s *stage) waitFor(t *testing.T, sql, want string) {
	t.Helper()
	var last string
	ok := assert.Eventually(t, func() bool {
		got, err := s.engine.TryQuery(context.Background(), sql)
		last = fmt.Sprint(got, " ", err)
		return err == nil && got == want
	}, arrival, 100*time.Millisecond)
	require.Truef(t, ok, "%s: want %s, have %s", sql, want, last)
}

// sorted takes the order out of columns that have one by chance.
const sorted = "REPLACE (mapSort(attributes) AS attributes, mapSort(resource) AS resource, mapSort(correlation) AS correlation, arraySort(facet_items) AS facet_items)"

// figures sums up what a database of ours holds; ids that are random are left out.
func figures(database string) string {
	var parts []string
	for _, q := range []string{
		"SELECT 'requests' AS name, count() AS n, sum(cityHash64(* EXCEPT (rid, unit, flags) " + sorted + ")) AS h FROM %s.requests",
		"SELECT 'spans', count(), sum(cityHash64(* EXCEPT (rid, unit, flags) " + sorted + ")) FROM %s.spans",
		"SELECT 'events', count(), sum(cityHash64(* EXCEPT (rid, unit) " + sorted + ")) FROM %s.events",
		"SELECT 'journey', count(), sum(cityHash64(* EXCEPT (rid, unit))) FROM %s.journey",
		"SELECT 'lat', sum(cnt), sum(b * cnt) FROM %s.lat_m",
		"SELECT 'cnt', sum(cnt), sum(cityHash64(minute, status) * cnt) FROM %s.cnt_m",
		"SELECT 'facets', sum(cnt), sum(cityHash64(field, value) * cnt) FROM %s.facets",
	} {
		parts = append(parts, fmt.Sprintf(q, database))
	}
	return "SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") ORDER BY name"
}

func TestAdoptedIsAsSentDirectly(t *testing.T) {
	s := newStage(t, false)
	base := time.Now().Add(-40 * time.Minute)
	for from := 0; from < spanCount; from += 250 {
		sendSpans(t, s.source, base, from, from+250)
	}
	sendLogs(t, s.source, base, logCount)
	s.waitFor(t, "SELECT count() FROM otel.otel_traces", fmt.Sprint(spanCount))
	s.waitFor(t, "SELECT count() FROM otel.otel_logs", fmt.Sprint(logCount+1))
	s.waitFor(t, "SELECT (SELECT count() FROM direct.requests) + (SELECT count() FROM direct.spans)", fmt.Sprint(spanCount))

	// Killed at random moments, in small batches, until a run comes through.
	kills := 0
	for range 200 {
		_, killed := s.adopt(t, 100*time.Millisecond+rand.N(400*time.Millisecond), "--batch-rows", "40")
		if !killed {
			break
		}
		kills++
	}
	require.Positive(t, kills, "the test killed nothing")
	t.Logf("killed %d times", kills)
	s.adopt(t, 0, "--batch-rows", "40")
	s.waitFor(t, "SELECT (SELECT count() FROM adopted.requests) + (SELECT count() FROM adopted.spans)", fmt.Sprint(spanCount))
	want := s.engine.Query(t, figures("direct"))
	s.waitFor(t, figures("adopted"), want)

	// A late row: written now, of a minute that was done long ago.
	sendSpans(t, s.source, base, spanCount/2, spanCount/2+3) // the same three spans once more
	s.waitFor(t, "SELECT count() FROM otel.otel_traces", fmt.Sprint(spanCount+3))
	output, _ := s.adopt(t, 0)
	assert.Contains(t, output, "otel_traces: 3 rows sent, 3 of them late")
	s.waitFor(t, "SELECT (SELECT count() FROM adopted.requests) + (SELECT count() FROM adopted.spans)", fmt.Sprint(spanCount+3))
	output, _ = s.adopt(t, 0)
	assert.Contains(t, output, "nothing new")
	s.waitFor(t, figures("adopted"), s.engine.Query(t, figures("direct")))
}

func TestFollow(t *testing.T) {
	s := newStage(t, true)
	sendLogs(t, s.source, time.Now().Add(-20*time.Minute), 100)
	s.waitFor(t, "SELECT count() FROM otel.otel_logs", "101")
	sendSpans(t, s.source, time.Now().Add(-20*time.Minute), 0, 10)
	s.waitFor(t, "SELECT count() FROM otel.otel_traces", "10")
	p := harness.Start(t, "adopt", []string{"TRACKWAY_ADOPT_PASSWORD=" + s.engine.Password}, harness.Trackway(t),
		"migrate", "adopt", "--from", s.engine.URL(), "--to", s.target, "--state", s.state, "--follow", "--poll", "100ms", "--settle", "0s", "--rate", "500")
	s.waitFor(t, "SELECT count() FROM adopted.events WHERE name != 'exception' AND name != 'note'", "101")
	sendLogs(t, s.source, time.Now().Add(-10*time.Minute), 50)
	s.waitFor(t, "SELECT countIf(name != 'exception' AND name != 'note') FROM adopted.events", "152")
	// JSON columns keep types and nesting: the same rows as text columns give.
	s.waitFor(t, "SELECT (SELECT sum(cityHash64(mapSort(attributes), correlation)) FROM adopted.spans) = (SELECT sum(cityHash64(mapSort(attributes), correlation)) FROM direct.spans)", "1")
	p.Stop(t)
}
