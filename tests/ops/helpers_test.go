package ops_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/admin"
	"github.com/trackwayhq/trackway/tests/harness"
)

// patience bounds every wait in this package.
const patience = 2 * time.Minute

// answer is what POST /v1/ingest says.
type answer struct {
	Accepted int `json:"accepted"`
	Rejected int `json:"rejected"`
}

func trySend(s *harness.Stack, batchID string, lines ...string) (int, answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.NDJSON+"/v1/ingest", strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		return 0, answer{}, err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	if batchID != "" {
		req.Header.Set("Trackway-Batch-Id", batchID)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, answer{}, err
	}
	var a answer
	if resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, &a)
	}
	return resp.StatusCode, a, err
}

// send sends lines until they are accepted: the collector may be starting again.
func send(t *testing.T, s *harness.Stack, batchID string, lines ...string) answer {
	t.Helper()
	var a answer
	require.Eventually(t, func() bool {
		status, got, err := trySend(s, batchID, lines...)
		a = got
		return err == nil && status == http.StatusOK
	}, patience, 50*time.Millisecond)
	return a
}

func requestLine(route string, i int) string {
	return fmt.Sprintf(`{"type":"request","service":"api","method":"GET","route":%q,"path":%q,"status":200,"duration_ms":1,"correlation":{"user_id":"u_%d"}}`, route, route, i)
}

func eventLine(i int) string {
	return fmt.Sprintf(`{"type":"event","name":"order.paid","service":"billing","message":"m","correlation":{"order_id":"o_%d"}}`, i)
}

// eventually waits until a query answers want.
func eventually(t *testing.T, s *harness.Stack, want, sql string) {
	t.Helper()
	var got string
	ok := assertEventually(func() bool {
		answer, err := s.ClickHouse.TryQuery(context.Background(), sql)
		got = answer
		if err != nil {
			got = err.Error()
		}
		return strings.TrimSpace(got) == want
	})
	require.True(t, ok, "%s: want %q, got %q", sql, want, got)
}

func assertEventually(done func() bool) bool {
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if done() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// flush has the collector write its ledger to the table.
func flush(t *testing.T, s *harness.Stack) {
	t.Helper()
	client := admin.NewClient(filepath.Join(s.Data, "run", "collector.sock"))
	var err error
	require.True(t, assertEventually(func() bool {
		err = client.Do(context.Background(), http.MethodPost, "/ledger/flush", nil, nil)
		return err == nil
	}), "%v", err)
}

// trackway runs the CLI.
func trackway(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, harness.Trackway(t), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

const ledgerSums = `SELECT sum(received), sum(rejected), sum(accepted), sum(stored), sum(pending), sum(dead_letter), sum(dropped_items), sum(removed)
	FROM trackway.delivery_ledger FINAL WHERE project = 'default'`
