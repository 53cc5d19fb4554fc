package ops_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// report is what `trackway doctor --json` prints, as far as it is looked at here.
type report struct {
	Equation []struct {
		Project                             string
		Received, Accepted, Stored, Pending int64
	}
	Findings []struct {
		Check, Table, Text string
		Repaired           bool
	}
}

func doctor(t *testing.T, s *harness.Stack, args ...string) (r report, failed bool) {
	t.Helper()
	out, stderr, err := trackway(t, append([]string{"doctor", "--json", "--data", s.Data}, args...)...)
	require.NoError(t, json.Unmarshal([]byte(out), &r), "%s%s", out, stderr)
	return r, err != nil
}

// tables are those in which something was found.
func (r report) tables() map[string]bool {
	out := map[string]bool{}
	for _, f := range r.Findings {
		out[f.Table] = true
	}
	return out
}

func TestDoctorFindsAndMendsWhatDoesNotAddUp(t *testing.T) {
	s := harness.StartStack(t)
	out, stderr, err := trackway(t, "doctor", "--data", s.Data)
	require.NoError(t, err, stderr)
	assert.Contains(t, out, "nothing was stored yet")
	var lines []string
	for i := range 200 {
		line := fmt.Sprintf(`{"type":"request","service":"api","method":"GET","route":"/r%d","status":%d,"duration_ms":%d,"trace_id":"%032x","request_bytes":%d,"attributes":{"plan":"p%d"},"correlation":{"user_id":"u_%d"}}`,
			i%7, 200+i%3*100, 1+i*i, i+1, i, i%3, i)
		lines = append(lines, line, eventLine(i))
	}
	send(t, s, "", lines...)
	eventually(t, s, "200\t200", "SELECT (SELECT count() FROM trackway.requests), (SELECT count() FROM trackway.events)")
	r, failed := doctor(t, s)
	require.False(t, failed, "%+v", r.Findings)
	require.Empty(t, r.Findings)
	require.Len(t, r.Equation, 1)
	assert.EqualValues(t, 400, r.Equation[0].Received)
	assert.EqualValues(t, 400, r.Equation[0].Stored+r.Equation[0].Pending)

	// What a crash between two tables would leave, and the opposite.
	for _, sql := range []string{
		"ALTER TABLE trackway.cnt_m DELETE WHERE route = '/r1' SETTINGS mutations_sync = 2",
		"INSERT INTO trackway.cnt_h SELECT * FROM trackway.cnt_h WHERE route = '/r2'",
		"ALTER TABLE trackway.lat_q DELETE WHERE b > 30 SETTINGS mutations_sync = 2",
		"ALTER TABLE trackway.facets DELETE WHERE value = 'p1' SETTINGS mutations_sync = 2",
		"ALTER TABLE trackway.journey DELETE WHERE value IN ('u_3', 'o_9') SETTINGS mutations_sync = 2",
		"INSERT INTO trackway.journey SELECT * FROM trackway.journey WHERE value = 'u_7'",
		"ALTER TABLE trackway.trace_index DELETE WHERE 1 SETTINGS mutations_sync = 2",
	} {
		s.ClickHouse.Query(t, sql)
	}
	hit := map[string]bool{"cnt_m": true, "cnt_h": true, "lat_q": true, "facets": true, "journey": true, "trace_index": true}
	r, failed = doctor(t, s, "--settle", "0s")
	assert.True(t, failed)
	assert.Equal(t, hit, r.tables(), "%+v", r.Findings)
	r, failed = doctor(t, s, "--settle", "0s", "--repair")
	assert.False(t, failed, "%+v", r.Findings)
	assert.Equal(t, hit, r.tables())
	r, failed = doctor(t, s, "--settle", "0s")
	assert.False(t, failed)
	assert.Empty(t, r.Findings, "mended")
	assert.Equal(t, "200", s.ClickHouse.Query(t, "SELECT sum(cnt) FROM trackway.cnt_h"))

	// A row that is lost is found, and not made up.
	s.ClickHouse.Query(t, "ALTER TABLE trackway.events DELETE WHERE mapContains(correlation, 'order_id') AND correlation['order_id'] = 'o_5' SETTINGS mutations_sync = 2")
	r, failed = doctor(t, s, "--settle", "0s", "--repair")
	assert.True(t, failed)
	require.NotEmpty(t, r.Findings)
	assert.Equal(t, "rows", r.Findings[0].Check)
	assert.Contains(t, r.Findings[0].Text, "stored 200 rows, 199 are there")
	r, failed = doctor(t, s, "--settle", "0s", "--repair", "--write-off")
	assert.False(t, failed, "%+v", r.Findings)
	r, failed = doctor(t, s, "--settle", "0s")
	assert.False(t, failed)
	assert.Empty(t, r.Findings)
}

func TestErasureIsAccountedFor(t *testing.T) {
	s := harness.StartStack(t)
	send(t, s, "", requestLine("/a", 1), requestLine("/a", 2), requestLine("/b", 1), eventLine(1))
	eventually(t, s, "3\t1", "SELECT (SELECT count() FROM trackway.requests), (SELECT count() FROM trackway.events)")
	_, failed := doctor(t, s)
	require.False(t, failed)
	_, stderr, err := trackway(t, "erase", "--key", "user_id", "--value", "u_1", "--data", s.Data)
	require.NoError(t, err, stderr)
	eventually(t, s, "1", "SELECT count() FROM trackway.requests")

	r, failed := doctor(t, s, "--settle", "0s", "--repair")
	assert.False(t, failed, "%+v", r.Findings)
	for _, f := range r.Findings {
		assert.Equal(t, "derived", f.Check, "rollups still count what was erased")
	}
	r, failed = doctor(t, s, "--settle", "0s")
	assert.False(t, failed)
	assert.Empty(t, r.Findings)
}
