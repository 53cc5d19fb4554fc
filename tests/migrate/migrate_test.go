package migrate_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// firstRelease creates, in a database, the tables as the first release had them,
// with rows.
func firstRelease(t *testing.T, engine *harness.Engine, database string) {
	t.Helper()
	for _, file := range []string{"version_1.sql", "version_1_rows.sql"} {
		content, err := os.ReadFile(filepath.Join(harness.Root(t), "internal", "schema", "migrate", "testdata", file))
		require.NoError(t, err)
		text := strings.NewReplacer("trackway.", database+".", "EXISTS trackway", "EXISTS "+database).Replace(string(content))
		for statement := range strings.SplitSeq(text, ";\n") {
			if strings.TrimSpace(statement) != "" {
				engine.Query(t, statement)
			}
		}
	}
}

func apply(t *testing.T, engine *harness.Engine, database string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness.Trackway(t), "migrate", "apply", "--endpoint", engine.URL(), "--database", database)
	cmd.Env = append(os.Environ(), "TRACKWAY_CLICKHOUSE_PASSWORD="+engine.Password)
	return cmd
}

// structure gives all that a database is made of; settings have an order by chance.
func structure(t *testing.T, engine *harness.Engine, database string) string {
	t.Helper()
	return strings.ReplaceAll(engine.Query(t, `SELECT name, substring(create_table_query, 1, position(create_table_query, ' SETTINGS ')) AS definition,
			arraySort(splitByString(', ', substring(create_table_query, greatest(position(create_table_query, ' SETTINGS '), 1)))) AS settings
		FROM (SELECT name, replaceOne(create_table_query, ' SETTINGS ', ' SETTINGS , ') AS create_table_query FROM system.tables WHERE database = '`+database+`')
		ORDER BY name`), database+".", "")
}

func TestKilledUpgradeGoesOn(t *testing.T) {
	engine := harness.StartEngine(t)
	out, err := apply(t, engine, "fresh").CombinedOutput()
	require.NoError(t, err, "%s", out)
	firstRelease(t, engine, "old")
	want := engine.Query(t, "SELECT sum(cityHash64(rid, correlation, duration)) FROM old.requests")
	killed := false
	for range 20 {
		cmd := apply(t, engine, "old")
		require.NoError(t, cmd.Start())
		timer := time.AfterFunc(50*time.Millisecond+rand.N(300*time.Millisecond), func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		killed = true
		if engine.Query(t, "SELECT count() FROM system.tables WHERE database = 'old' AND name = 'schema_lock'") == "1" {
			break // it died with the lock, or after it
		}
	}
	t.Log("killed:", killed)
	start := time.Now()
	out, err = apply(t, engine, "old").CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Log("the next one was done after", time.Since(start))
	assert.Equal(t, structure(t, engine, "fresh"), structure(t, engine, "old"))
	assert.Equal(t, want, engine.Query(t, "SELECT sum(cityHash64(rid, correlation, duration)) FROM old.requests"))
}

func TestManyProcessesAtOnce(t *testing.T) {
	engine := harness.StartEngine(t)
	firstRelease(t, engine, "old")
	outputs := make([]string, 6)
	var wg sync.WaitGroup
	for i := range outputs {
		wg.Go(func() {
			out, err := apply(t, engine, "old").CombinedOutput()
			assert.NoError(t, err, "%s", out)
			outputs[i] = string(out)
		})
	}
	wg.Wait()
	did := 0
	for _, out := range outputs {
		if strings.Contains(out, "now (before: 1)") {
			did++
		}
	}
	assert.Equal(t, 1, did, fmt.Sprint(outputs))
}
