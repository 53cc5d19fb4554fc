package api_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// patience bounds waiting for what must come back.
const patience = 90 * time.Second

// send posts one request and says whether it was accepted.
func send(stack *harness.Stack, service string) bool {
	res, err := http.Post(stack.NDJSON+"/v1/ingest", "application/x-ndjson",
		strings.NewReader(`{"type":"request","service":"`+service+`","status":200}`+"\n"))
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// TestEngineOutage kills the engine under the query server: questions are
// answered or refused with 503, never wrongly, and all is well once it is back.
func TestEngineOutage(t *testing.T) {
	stack := harness.StartStack(t)
	require.True(t, send(stack, "before"))
	require.Eventually(t, func() bool { return len(stack.List(t, "requests", "service = 'before'")) == 1 }, patience, 20*time.Millisecond)

	old := stack.ChildPID(t, "engine")
	require.NoError(t, syscall.Kill(old, syscall.SIGKILL))
	refused := 0
	require.Eventually(t, func() bool {
		var page harness.Rows
		status, err := stack.Get(t.Context(), "requests", nil, &page)
		if err == nil {
			assert.Len(t, page.Rows, 1, "an answer is never short")
			return refused > 0 || stack.ChildPID(t, "engine") != old
		}
		refused++
		assert.Equal(t, http.StatusServiceUnavailable, status, "%v", err)
		return false
	}, patience, 10*time.Millisecond)

	require.Eventually(t, func() bool { return send(stack, "after") }, patience, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		rows, err := stack.TryList("requests", "service = 'after'")
		return err == nil && len(rows) == 1
	}, patience, 100*time.Millisecond)
}

// TestTailSurvivesTheCollector kills the collector under an open tail: the same
// stream goes on with the next one.
func TestTailSurvivesTheCollector(t *testing.T) {
	stack := harness.StartStack(t)
	tail := stack.OpenTail(t, "")
	seen := func(service string) bool {
		records, _, err := tail.Records()
		require.NoError(t, err)
		for _, r := range records {
			if r.Service == service {
				return true
			}
		}
		return false
	}
	require.True(t, send(stack, "first"))
	require.Eventually(t, func() bool { return seen("first") }, patience, 20*time.Millisecond)

	require.NoError(t, syscall.Kill(stack.ChildPID(t, "collector"), syscall.SIGKILL))
	require.Eventually(t, func() bool { return send(stack, "second") && seen("second") }, patience, 200*time.Millisecond)
}
