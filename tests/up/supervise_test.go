package up

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryChildComesBackAfterKill(t *testing.T) {
	i := start(t, filepath.Join(t.TempDir(), "data"))
	i.send(t, "before")
	i.find(t, "before")
	for _, name := range []string{"engine", "collector", "query"} {
		t.Run(name, func(t *testing.T) {
			before := i.state(t)
			old, _ := before.child(name)
			require.NotZero(t, old)
			require.NoError(t, syscall.Kill(old, syscall.SIGKILL))
			require.Eventually(t, func() bool {
				pid, ready := i.state(t).child(name)
				return ready && pid != old
			}, patience, 20*time.Millisecond, "%s does not come back", name)

			i.send(t, "after-"+name)
			i.find(t, "before", "after-"+name)
			after := i.state(t)
			assert.Equal(t, before.URLs, after.URLs, "addresses do not move")
			for _, other := range []string{"engine", "collector", "query"} {
				if other != name {
					was, _ := before.child(other)
					is, _ := after.child(other)
					assert.Equal(t, was, is, "%s is not disturbed by the death of %s", other, name)
				}
			}
		})
	}
}

func TestInterruptLeavesNothingBehind(t *testing.T) {
	i := start(t, filepath.Join(t.TempDir(), "data"), "--demo=50")
	i.send(t, "one")
	var children []int
	require.Eventually(t, func() bool {
		children = i.childPIDs(t)
		return len(children) == 4 // the demo is the last
	}, patience, 20*time.Millisecond)
	require.NoError(t, syscall.Kill(i.PID(), syscall.SIGINT))
	<-i.Exited()
	gone(t, children...)
	assert.NoFileExists(t, filepath.Join(i.data, "run", "up.json"))
	assert.NoFileExists(t, filepath.Join(i.data, "DIRTY"), "the engine was stopped cleanly")
}

func TestKilledUpTakesItsChildrenAndTheNextOneStarts(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	first := start(t, data)
	first.send(t, "kept")
	first.find(t, "kept")
	children := first.childPIDs(t)
	require.NoError(t, syscall.Kill(first.PID(), syscall.SIGKILL))
	<-first.Exited()

	second := start(t, data) // at once: it waits for what is still stopping
	gone(t, children...)
	second.find(t, "kept")

	children = second.childPIDs(t)
	require.NoError(t, syscall.Kill(second.PID(), syscall.SIGKILL))
	gone(t, children...)
	assert.NoFileExists(t, filepath.Join(data, "DIRTY"), "the engine stops cleanly even so")
}

func TestSecondStartKeepsRowsAndPassword(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	first := start(t, data)
	var ids []string
	for n := range 20 {
		ids = append(ids, fmt.Sprintf("r-%d", n))
		first.send(t, ids[n])
	}
	password, err := os.ReadFile(filepath.Join(data, "engine.password"))
	require.NoError(t, err)
	first.Stop(t)

	second := start(t, data)
	second.find(t, ids...)
	again, err := os.ReadFile(filepath.Join(data, "engine.password"))
	require.NoError(t, err)
	assert.Equal(t, password, again)
	info, err := os.Stat(filepath.Join(data, "engine.password"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestEngineWantsThePassword(t *testing.T) {
	i := start(t, filepath.Join(t.TempDir(), "data"))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.state(t).URLs["engine"]+"/?query=SELECT+1", http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.NotEqual(t, http.StatusOK, response.StatusCode, "%s", body)
}
