package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// badCase is something that no sender should send, with the answer it gets.
type badCase struct {
	name  string
	send  func(t *testing.T, stack *harness.Stack) (status int, answer string)
	want  int
	wants []string // parts of the answer
}

// TestBadInput sends what senders get wrong, or do wrong. Each gets a clear answer;
// a good sender beside them loses nothing; and memory stays bounded.
func TestBadInput(t *testing.T) {
	stack := harness.StartStack(t)
	collector := stack.ChildPID(t, "collector")
	good := startGoodSender(t, stack)
	slow := startSlowSenders(t, stack)
	cases := append(ndjsonLines(), ndjsonBodies()...)
	cases = append(cases, otlpBodies()...)
	cases = append(cases, heavyBodies()...)
	require.GreaterOrEqual(t, len(cases), 40)
	most := peak(t, collector)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, answer := c.send(t, stack)
			assert.Equal(t, c.want, status, shorten(answer))
			for _, part := range c.wants {
				assert.Contains(t, shorten(answer), part)
			}
			rss := peak(t, collector)
			most = max(most, rss)
			assert.Less(t, rss, int64(badInputMemory), "resident memory")
		})
	}
	slow.wait(t)
	accepted := good.stop(t)
	assert.Equal(t, collector, stack.ChildPID(t, "collector"), "the collector was started once")
	require.Eventually(t, func() bool {
		got, err := stack.ClickHouse.TryQuery(t.Context(), "SELECT count() FROM trackway.requests WHERE service = 'good'")
		return err == nil && got == fmt.Sprint(accepted)
	}, arrival, 100*time.Millisecond, "the good sender's %d requests are stored once", accepted)
	t.Logf("%d cases, most resident memory %d MiB, good requests beside them %d", len(cases), most>>20, accepted)
}

func shorten(s string) string {
	if len(s) > 1000 {
		return s[:1000]
	}
	return s
}

// goodSender sends ordinary bodies all the time.
type goodSender struct {
	cancel   context.CancelFunc
	done     sync.WaitGroup
	accepted atomic.Int64
	err      error
}

func startGoodSender(t *testing.T, stack *harness.Stack) *goodSender {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	g := &goodSender{cancel: cancel}
	body := strings.Repeat(line(t, "type", "request", "service", "good", "method", "GET", "route", "/good", "status", 200, "duration_ms", 3), 20)
	pace := time.NewTicker(20 * time.Millisecond)
	g.done.Go(func() {
		defer pace.Stop()
		for g.err == nil {
			select {
			case <-ctx.Done():
				return
			case <-pace.C:
				g.err = g.send(stack.NDJSON+"/v1/ingest", body)
			}
		}
	})
	return g
}

// send posts one body until it is taken.
func (g *goodSender) send(address, body string) error {
	for {
		res, err := http.Post(address, "application/x-ndjson", strings.NewReader(body))
		if err != nil {
			return err
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			return err
		}
		switch res.StatusCode {
		case http.StatusOK:
			var answer ingestAnswer
			if err := json.Unmarshal(text, &answer); err != nil {
				return err
			}
			g.accepted.Add(int64(answer.Accepted))
			return nil
		case http.StatusTooManyRequests:
			seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
			if err != nil {
				return fmt.Errorf("Retry-After: %w", err)
			}
			time.Sleep(time.Duration(seconds) * time.Second)
		default:
			return fmt.Errorf("%s: %s", res.Status, text)
		}
	}
}

// stop gives how many requests were accepted.
func (g *goodSender) stop(t *testing.T) int64 {
	t.Helper()
	g.cancel()
	g.done.Wait()
	require.NoError(t, g.err)
	require.NotZero(t, g.accepted.Load())
	return g.accepted.Load()
}

// ndjson is a case of a body posted to /v1/ingest, with headers.
func ndjson(name string, want int, wants []string, body func(t *testing.T) []byte, headers ...string) badCase {
	return badCase{name: "NDJSON " + name, want: want, wants: wants, send: func(t *testing.T, stack *harness.Stack) (int, string) {
		return request(t, http.MethodPost, stack.NDJSON+"/v1/ingest", body(t), headers...)
	}}
}

func request(t *testing.T, method, url string, body []byte, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

// text is a body that is written out.
func text(s string) func(*testing.T) []byte { return func(*testing.T) []byte { return []byte(s) } }
