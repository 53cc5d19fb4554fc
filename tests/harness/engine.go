package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// ClickHouse is where a ClickHouse HTTP interface listens and how to sign in.
type ClickHouse struct {
	Addr     string // host:port
	User     string
	Password string
}

// Engine is a running `trackway engine`.
type Engine struct {
	*Process
	ClickHouse
	Data string
}

const enginePassword = "black-box"

// StartEngine starts an engine on a fresh data directory and waits for it. The
// extra arguments follow the harness's own.
func StartEngine(t testing.TB, args ...string) *Engine {
	t.Helper()
	return StartEngineAt(t, filepath.Join(t.TempDir(), "data"), args...)
}

// StartEngineAt starts an engine on the data directory data.
func StartEngineAt(t testing.TB, data string, args ...string) *Engine {
	t.Helper()
	p := Start(t, "engine", []string{"TRACKWAY_ENGINE_PASSWORD=" + enginePassword}, Trackway(t),
		append([]string{"engine", "--data", data, "--listen", "127.0.0.1:0", "--library", Library(t)}, args...)...)
	ready := p.Ready(t)
	addr, ok := ready["listen"].(string)
	if !ok || strings.HasSuffix(addr, ":0") {
		t.Fatalf("engine: the ready line %v has no real address under \"listen\"", ready)
	}
	return &Engine{Process: p, Data: data, ClickHouse: ClickHouse{Addr: addr, User: "default", Password: enginePassword}}
}

// URL is the interface's base address.
func (c ClickHouse) URL() string { return "http://" + c.Addr }

// Options are clickhouse-go's, over HTTP, without compression.
func (c ClickHouse) Options() *clickhouse.Options {
	return &clickhouse.Options{
		Addr:         []string{c.Addr},
		Protocol:     clickhouse.HTTP,
		Auth:         clickhouse.Auth{Username: c.User, Password: c.Password},
		DialTimeout:  10 * time.Second,
		ReadTimeout:  5 * time.Minute,
		MaxOpenConns: 40,
		MaxIdleConns: 8,
	}
}

// Open connects clickhouse-go and closes it with the test.
func (c ClickHouse) Open(t testing.TB, change ...func(*clickhouse.Options)) driver.Conn {
	t.Helper()
	options := c.Options()
	for _, f := range change {
		f(options)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatalf("clickhouse-go: open: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.Ping(context.Background()); err != nil {
		t.Fatalf("clickhouse-go: ping: %v", err)
	}
	return conn
}

// Query runs one statement over plain HTTP and gives the body of the answer
// without its last newline; any status but 200 fails the test.
func (c ClickHouse) Query(t testing.TB, sql string) string {
	t.Helper()
	body, err := c.TryQuery(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TryQuery is Query that gives errors to its caller.
func (c ClickHouse) TryQuery(ctx context.Context, sql string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL()+"/", strings.NewReader(sql))
	if err != nil {
		return "", err
	}
	req.SetBasicAuth(c.User, c.Password)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s: %s", sql, res.Status, body)
	}
	return strings.TrimSuffix(string(body), "\n"), nil
}

// RSS is the resident memory of a process in bytes.
func RSS(t testing.TB, pid int) int64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(data))
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// Insert sends an INSERT in the URL with body as its data, streamed.
func (c ClickHouse) Insert(ctx context.Context, sql string, body io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL()+"/?"+url.Values{"query": {sql}}.Encode(), body)
	if err != nil {
		return err
	}
	req.SetBasicAuth(c.User, c.Password)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", sql, res.Status, answer)
	}
	return nil
}
