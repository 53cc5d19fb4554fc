package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/cmd/internal/demo"
)

// command runs a command line and returns what it printed.
func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	root := newRootCommand()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

func TestEveryCommandIsListedOnce(t *testing.T) {
	out, err := command(t)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, c := range newRootCommand().Commands() {
		assert.False(t, seen[c.Name()], "%s is there twice", c.Name())
		seen[c.Name()] = true
		assert.Equal(t, 1, strings.Count(out, "\n  "+c.Name()+" "), c.Name())
	}
}

func TestWrongCommandLinesFailWithASentence(t *testing.T) {
	for line, want := range map[string]string{
		"bogus":                        "unknown command \"bogus\": `trackway --help` lists them",
		"bench bogus":                  "unknown command \"bogus\": `trackway bench --help` lists them",
		"up --demo=abc":                "--demo: want a number, got abc",
		"up --demo=-3":                 "--demo: want 0 to 100000 requests a second, got -3",
		"up --memory 2GB":              "--memory: want a number of bytes, such as 2147483648, got 2GB",
		"up --memory=":                 "--memory: want a number of bytes, got nothing",
		"up --data=":                   "--data: want a directory, got nothing",
		"up --ndjson nonsense":         "--ndjson: want a port from 0 to 65535, got \"nonsense\"",
		"up --listen 0.0.0.0:0":        "--listen: want an address of this machine alone, such as 127.0.0.1:8080, got 0.0.0.0:0",
		"up --engine-listen 10.0.0.1:": "--engine-listen: want a port from 0 to 65535, got \"\"",
		"engine --memory 2GB":          "--memory: want a number of bytes, such as 2147483648, got 2GB",
		"engine --data=":               "--data: want a directory, got nothing",
		"bench size --data=":           "--data: want a directory, got nothing",
		"bench ingest --html=":         "--html: want a file, got nothing",
		"bench ingest --repeat 0":      "--repeat: want 1 to 100, got 0",
		"bench ingest --rate x":        "--rate: want a number, got x",
		"demo --url notaurl":           "--url: want an address such as http://127.0.0.1:4319, got \"notaurl\"",
		"demo --load --url ftp://x":    "--url: want an address such as http://127.0.0.1:4319, got \"ftp://x\"",
		"demo --rate 1e12":             "--rate: want more than 0 and at most 100000, got 1e+12",
		"demo --backfill-hours -1":     "--backfill-hours: want 0 to 720, got -1",
		"demo --load --seconds NaN":    "--seconds: want more than 0 and at most 86400, got NaN",
		"demo --load --batch-size x":   "--batch-size: want a whole number, got x",
	} {
		_, err := command(t, strings.Fields(line)...)
		assert.EqualError(t, err, want, line)
	}
}

func TestALoadThatIsNotTakenSaysWhy(t *testing.T) {
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "max_items: at most 100000", http.StatusRequestEntityTooLarge)
	}))
	defer endpoint.Close()
	_, err := command(t, "demo", "--load", "--url", endpoint.URL, "--batch-size", "1", "--concurrency", "1", "--seconds", "0.05")
	require.ErrorContains(t, err, "413")
	require.ErrorContains(t, err, "max_items: at most 100000")
	assert.NotContains(t, err.Error(), "is the collector running")
	require.ErrorContains(t, nothingAccepted(demo.Report{ErrorSamples: []string{"connection refused"}}), "is the collector running there? Name another endpoint with --url (connection refused)")
}

func TestAClosedTerminalStopsInOrder(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Reset(syscall.SIGHUP)
		defer signal.Ignore(syscall.SIGHUP)
	}
	assert.Contains(t, stopSignals(), syscall.SIGHUP)
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	assert.NotContains(t, stopSignals(), syscall.SIGHUP, "as under nohup")
}
