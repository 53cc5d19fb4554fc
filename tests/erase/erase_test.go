package erase_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http"
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

// who is to be erased, and somebody else.
const (
	who       = "cust-83641-xq"
	bystander = "cust-90210-zz"
)

// arrival is how long data may take to be there before the test gives up.
const arrival = 60 * time.Second

func send(t *testing.T, s *harness.Stack, lines ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.NDJSON+"/v1/ingest", strings.NewReader(strings.Join(lines, "\n")))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-ndjson")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
}

func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, arrival, 50*time.Millisecond, what)
}

// erase runs the command and gives its output and exit status.
func erase(t *testing.T, s *harness.Stack, args ...string) (output string, status int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness.Trackway(t), append([]string{
		"erase", "--data", s.Data, "--key", "user_id", "--value", who}, args...)...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// holding gives the files below a directory of the data directory that have a text
// in them as it is. Part files are compressed; what they hold is searched by the
// command.
func holding(t *testing.T, s *harness.Stack, directory, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(s.Data, directory), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() { // else it went away
			if content, err := os.ReadFile(path); err == nil && bytes.Contains(content, []byte(text)) {
				files = append(files, path)
			}
		}
		return nil
	})
	require.NoError(t, err)
	return files
}

func TestNothingIsLeftOfAPerson(t *testing.T) {
	s := harness.StartStack(t)
	request := func(user, route, more string) string {
		return fmt.Sprintf(`{"type":"request","service":"api","method":"GET","route":%q,"path":"/x","status":200,"duration_ms":5,"request_id":"r-%s","trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331","correlation":{"user_id":%q,"order_id":"o_1"}%s}`, route, user, user, more)
	}
	send(t, s,
		request(who, "/cart", `,"attributes":{"note":"of `+who+`"},"request_body":"{\"id\":\"`+who+`\"}"`),
		request(bystander, "/cart", ""),
		`{"type":"span","name":"SELECT","service":"api","duration_ms":1,"trace_id":"0af7651916cd43dd8448eb211c80319d","span_id":"b7ad6b7169203332","attributes":{"user_id":"`+who+`"}}`,
		`{"type":"event","name":"order.paid","service":"billing","message":"paid by `+who+`","correlation":{"user_id":"`+who+`"}}`,
		`{"type":"event","name":"mention","service":"billing","message":"see also `+who+`."}`,
	)
	count := func(sql string) string {
		answer, err := s.ClickHouse.TryQuery(context.Background(), sql)
		if err != nil {
			return err.Error()
		}
		return answer
	}
	waitFor(t, "everything is stored", func() bool { return count("SELECT count() FROM trackway.events") == "2" })
	// A server removes parts that were replaced within minutes; here, within seconds.
	for table := range strings.FieldsSeq(s.ClickHouse.Query(t, "SELECT name FROM system.tables WHERE database = 'trackway' AND engine LIKE '%MergeTree'")) {
		s.ClickHouse.Query(t, "ALTER TABLE trackway."+table+" MODIFY SETTING cleanup_delay_period = 1, max_cleanup_delay_period = 2, cleanup_delay_period_random_add = 0")
	}
	// What the store refuses goes to the dead letters.
	s.ClickHouse.Query(t, "ALTER TABLE trackway.requests ADD CONSTRAINT no_poison CHECK route NOT LIKE '/poison%'")
	send(t, s, request(who, "/poison", ""), request(bystander, "/poison", ""))
	waitFor(t, "dead letters", func() bool {
		return len(holding(t, s, "deadletter", who)) > 0 && len(holding(t, s, "deadletter", bystander)) > 0
	})
	s.ClickHouse.Query(t, "ALTER TABLE trackway.requests DROP CONSTRAINT no_poison")
	require.NotEmpty(t, holding(t, s, "journal", who), "the journal keeps what was delivered until its segment is written again")

	output, status := erase(t, s, "--dry-run")
	assert.Zero(t, status, output)
	assert.Contains(t, output, "ALTER TABLE trackway.requests DELETE WHERE")
	require.Equal(t, "2", count("SELECT count() FROM trackway.requests"), "a dry run erases nothing")

	output, status = erase(t, s, "--wait", "0s")
	assert.Equal(t, 1, status, "the event that only mentions the person is left")
	assert.Contains(t, output, "FOUND in 1 rows of events, columns message")
	assert.Empty(t, holding(t, s, "deadletter", who))
	assert.Equal(t, "1", count("SELECT count() FROM trackway.requests"))

	output, status = erase(t, s, "--mentions", "--wait", "3m")
	require.Zero(t, status, output)
	assert.Contains(t, output, "nothing was found")
	assert.NotContains(t, output, "FOUND")
	for _, want := range []string{
		"erased from events: 1 rows", "searched requests: 1 rows, columns project, ", "searched journey: ", "searched facets: ",
		"searched " + filepath.Join(s.Data, "store") + ": ", "searched " + filepath.Join(s.Data, "journal") + ": ", "searched " + filepath.Join(s.Data, "deadletter") + ": ",
	} {
		assert.Contains(t, output, want)
	}
	for _, directory := range []string{"journal", "deadletter", "run"} {
		assert.Empty(t, holding(t, s, directory, who), directory)
	}
	assert.Equal(t, bystander, count("SELECT correlation['user_id'] FROM trackway.requests"))
	assert.NotEmpty(t, holding(t, s, "deadletter", bystander), "others' dead letters stay")
	assert.Equal(t, "1", count("SELECT count() FROM trackway.journey WHERE key = 'order_id'"))
	assert.Equal(t, "2", count("SELECT sum(cnt) FROM trackway.cnt_m"), "counts stay")
}
