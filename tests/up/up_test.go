package up

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// patience is how long a test waits for what must happen. It is no measure: two
// shared cores start all of this several times over.
const patience = 90 * time.Second

// state is the part of run/up.json that the tests read.
type state struct {
	PID      int               `json:"pid"`
	Ready    bool              `json:"ready"`
	URLs     map[string]string `json:"urls"`
	Children []struct {
		Name     string `json:"name"`
		PID      int    `json:"pid"`
		State    string `json:"state"`
		Restarts int    `json:"restarts"`
	} `json:"children"`
}

func (s state) child(name string) (pid int, ready bool) {
	for _, c := range s.Children {
		if c.Name == name {
			return c.PID, c.State == "ready"
		}
	}
	return 0, false
}

// instance is a running `trackway up` on a directory that outlives it.
type instance struct {
	*harness.Process
	data string
}

// arguments start `up` on data with free ports. Flags in extra come last and win.
func arguments(t *testing.T, data string, extra ...string) []string {
	t.Helper()
	return append([]string{
		"up", "--json", "--data", data, "--config-dir", filepath.Join(harness.Root(t), "config"),
		"--collector", harness.Collector(t), "--library", harness.Library(t),
		"--listen", "0", "--otlp-grpc", "0", "--otlp-http", "0", "--ndjson", "0",
		"--engine-listen", "0", "--live-tail", "0", "--health", "0",
	}, extra...)
}

// start runs `up` and waits until it says that it is ready.
func start(t *testing.T, data string, extra ...string) *instance {
	t.Helper()
	p := harness.Start(t, "up", nil, harness.Trackway(t), arguments(t, data, extra...)...)
	ready := p.Ready(t)
	require.NotEmpty(t, ready["listen"])
	return &instance{Process: p, data: data}
}

// refused runs `up`, which must end by itself with status 1, and gives the one
// line it says.
func refused(t *testing.T, data string, extra ...string) string {
	t.Helper()
	p := harness.Start(t, "refused", nil, harness.Trackway(t), arguments(t, data, extra...)...)
	select {
	case <-p.Exited():
	case <-time.After(patience):
		t.Fatal("up did not end")
	}
	said := strings.TrimSpace(p.Stderr())
	lines := strings.Split(said, "\n")
	last := lines[len(lines)-1]
	require.True(t, strings.HasPrefix(last, "trackway: "), "want a sentence, got: %s", said)
	return last
}

func (i *instance) state(t *testing.T) state {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(i.data, "run", "up.json"))
	require.NoError(t, err)
	var s state
	require.NoError(t, json.Unmarshal(content, &s))
	return s
}

// send posts one request until it is accepted, which it is once the collector
// answers; the id lets the test find it again.
func (i *instance) send(t *testing.T, id string) {
	t.Helper()
	line := fmt.Sprintf(`{"type":"request","service":"api","method":"GET","route":"/up/:id","path":"/up/1","status":200,"duration_ms":1.5,"request_id":%q}`, id)
	endpoint := i.state(t).URLs["ndjson"]
	var last error
	require.Eventually(t, func() bool {
		var answer struct {
			Accepted int `json:"accepted"`
		}
		last = call(t.Context(), http.MethodPost, endpoint, line, &answer)
		return last == nil && answer.Accepted == 1
	}, patience, 50*time.Millisecond, "the collector does not accept: %v", &last)
}

// find waits until the API answers with each of the ids, once.
func (i *instance) find(t *testing.T, ids ...string) {
	t.Helper()
	api := i.state(t).URLs["api"]
	for _, id := range ids {
		query := url.Values{"filter": {fmt.Sprintf("correlation['request_id'] = '%s'", id)}}
		var page harness.Rows
		var last error
		require.Eventually(t, func() bool {
			page = harness.Rows{}
			last = call(t.Context(), http.MethodGet, api+"/requests?"+query.Encode(), "", &page)
			return last == nil && len(page.Rows) > 0
		}, patience, 50*time.Millisecond, "request %s is not found: %v", id, &last)
		require.Len(t, page.Rows, 1, "request %s is stored once", id)
	}
}

// call makes a request and decodes a 200 into out.
func call(ctx context.Context, method, address, body string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/x-ndjson")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s: %s", address, response.Status, content)
	}
	return json.Unmarshal(content, out)
}

// gone waits until none of the processes exists.
func gone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		require.NotZero(t, pid)
		require.Eventually(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH },
			patience, 20*time.Millisecond, "process %d is still there", pid)
	}
}

// childPIDs are the processes of all children.
func (i *instance) childPIDs(t *testing.T) []int {
	t.Helper()
	var pids []int
	for _, c := range i.state(t).Children {
		pids = append(pids, c.PID)
	}
	return pids
}

func readJSON(t *testing.T, path string, out any) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, out))
}
