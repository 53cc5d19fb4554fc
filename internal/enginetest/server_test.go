package enginetest_test

import (
	"testing"

	"github.com/trackwayhq/trackway/internal/enginetest"
)

func TestStart(t *testing.T) {
	server := enginetest.Start(t)
	server.Exec(t, "CREATE TABLE kept (n UInt8) ENGINE = MergeTree ORDER BY n")
	server.Exec(t, "INSERT INTO kept VALUES (42)")
	server.Kill()
	server.Restart(t)
	if got := server.Query(t, "SELECT n FROM kept"); got != "42\n" {
		t.Fatalf("after kill and restart: got %q, want 42", got)
	}
}
