package harness

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/freeport"
)

// FreeAddresses gives n different host:port addresses on loopback that were free
// a moment ago, for programs that cannot take port 0.
func FreeAddresses(t testing.TB, n int) []string {
	t.Helper()
	addresses := make([]string, n)
	for i := range addresses {
		l, err := freeport.Listen(t.Context(), "127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }() // all are held until every one is found
		addresses[i] = l.Addr().String()
	}
	return addresses
}

// StartCollector runs the collector distribution with a configuration given as
// YAML and waits until its health check, which must listen on health, answers.
func StartCollector(t testing.TB, config, health string, env ...string) *Process {
	t.Helper()
	file := filepath.Join(t.TempDir(), "collector.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p := Start(t, "collector", env, Collector(t), "--config", "file:"+file)
	deadline := time.Now().Add(readyTimeout)
	for !answers(t.Context(), "http://"+health+"/") {
		select {
		case <-p.Exited():
			t.Fatalf("the collector ended before it was ready: %v; its output follows", p.waitErr)
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("the collector was not healthy after %s; its output follows", readyTimeout)
		}
	}
	return p
}

func answers(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}
