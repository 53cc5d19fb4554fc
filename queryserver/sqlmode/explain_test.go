package sqlmode

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	unitcolumns "github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/golden"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testTables makes the tables in an engine of the test's own, with two projects over
// two days, and gives a runner over them.
func testTables(t *testing.T) *Runner {
	t.Helper()
	engine := enginetest.Start(t)
	endpoint, err := url.Parse(engine.URL)
	if err != nil {
		t.Fatal(err)
	}
	post := func(sql string, body []byte) error {
		u := *endpoint
		u.Path, u.RawQuery = "/", url.Values{"query": {sql}}.Encode()
		u.User = url.UserPassword(engine.User, engine.Password)
		resp, err := http.Post(u.String(), "application/octet-stream", bytes.NewReader(body))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		answer, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", sql, answer)
		}
		return nil
	}
	if err := schema.Create(t.Context(), schema.Options{}, func(_ context.Context, sql string) error { return post(sql, nil) }); err != nil {
		t.Fatal(err)
	}
	for _, project := range []string{"default", "other"} {
		var b unitcolumns.Batch
		b.BeginItem(project)
		for i := range 20_000 { // more than a granule
			r := record.Record{
				Project: project, Kind: record.Request, Time: time.Date(2026, 11, 29+i/10_000, 12, 0, i%10_000, 0, time.UTC), RID: uint64(i + 1), Service: "api", Method: "GET", Route: "/a",
				Status: 200, Duration: uint64(i%100+1) * 1e6, Weight: 256, TTLDays: 4000, Attributes: record.Pairs{{Key: "plan", Value: "pro"}}, FacetItems: []string{"plan=pro"},
				Correlation: record.Pairs{{Key: "order_id", Value: fmt.Sprint("o_", i%100)}},
			}
			b.Append(&r)
		}
		for _, part := range b.Parts() {
			inserts, err := new(unitcolumns.Encoder).Unit(rand.Uint64(), []*unitcolumns.Part{part})
			if err != nil {
				t.Fatal(err)
			}
			for _, ins := range inserts {
				if err := post("INSERT INTO trackway."+ins.Table+" ("+ins.Columns+") FORMAT Native", ins.Body); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, table := range []string{"requests", "cnt_m", "journey"} {
		if err := post("OPTIMIZE TABLE trackway."+table+" FINAL", nil); err != nil {
			t.Fatal(err)
		}
	}
	client := clickhouse.New(clickhouse.Options{Endpoint: endpoint, Username: engine.User, Password: engine.Password, Database: "trackway", Timeout: time.Minute})
	t.Cleanup(func() {
		client.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return NewRunner(client, client, DefaultConfig())
}

// run gives the answer to a statement of the test's own, under what people's run under.
func (r *Runner) run(t *testing.T, sql string) (string, error) {
	t.Helper()
	stream, err := r.store.Open(t.Context(), clickhouse.StreamQuery{
		Query:  clickhouse.Query{Name: "test", SQL: sql, Params: map[string]string{projectParam: "default"}, Settings: r.settings("default", r.config.limits(NDJSON))},
		Format: "TSVRaw", ID: newStatementID(), Database: emptyDatabase, Timeout: time.Minute, Whole: true,
	})
	if err != nil {
		return "", err
	}
	defer stream.Close()
	answer, err := io.ReadAll(stream)
	return string(answer), err
}

// partNames are the names that parts happen to have.
var partNames = regexp.MustCompile(`Parts: \d+/\d+`)

// The views keep what makes the tables fast: the project and windows of time select by
// the primary key and the partition, conditions by the indexes, and only the project
// is filtered while reading.
func TestPlans(t *testing.T) {
	r := testTables(t)
	for name, query := range map[string]string{
		"window":      "SELECT count() FROM requests WHERE ts >= '2026-11-30 12:00:00' AND ts < '2026-11-30 12:10:00' AND status >= 500",
		"newest":      "SELECT * FROM requests ORDER BY ts DESC LIMIT 10",
		"slow":        "SELECT id FROM requests WHERE duration > 3000000000",
		"facet_item":  "SELECT count() FROM requests WHERE has(facet_items, 'plan=free')",
		"subquery":    "WITH slow AS (SELECT * FROM (SELECT * FROM requests) WHERE route = '/a') SELECT count() FROM slow WHERE ts >= '2026-11-30 12:00:00'",
		"journey":     "SELECT ts, kind FROM journey WHERE key = 'order_id' AND value = 'o_9' AND ts > '2026-11-30 00:00:00'",
		"rollup":      "SELECT route, sum(requests) FROM requests_by_minute WHERE minute >= '2026-11-30 12:00:00' GROUP BY route",
		"window_join": "SELECT count() FROM requests AS r JOIN journey AS j ON r.id = j.id WHERE r.ts >= '2026-11-30 12:00:00' AND j.key = 'order_id' AND j.value = 'o_1'",
	} {
		t.Run(name, func(t *testing.T) {
			sql, err := r.compiler.Compile(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := r.run(t, "EXPLAIN PLAN indexes = 1, actions = 1, description = 0 "+sql)
			if err != nil {
				t.Fatal(err)
			}
			golden.Equal(t, filepath.Join("testdata", "plan", name+".txt"), query+"\n\n"+reads(plan))
		})
	}
}

// reads are the lines of a plan that say what is read and by which indexes.
func reads(plan string) string {
	var b strings.Builder
	for line := range strings.Lines(plan) {
		trimmed := strings.TrimLeft(line, " └─├│")
		for _, word := range []string{"ReadFromMergeTree", "Prewhere", "Row level filter", "Indexes:", "MinMax", "Partition", "PrimaryKey", "Skip", "Name:", "Condition:", "Granules:", "Limit", "Sorting", "ReadType", "Filter column"} {
			if strings.HasPrefix(trimmed, word) {
				b.WriteString(partNames.ReplaceAllString(line, "Parts: n"))
				break
			}
		}
	}
	return b.String()
}

// Were a statement to name a table after all, the engine would still give it the rows
// of its project alone, and let it change nothing.
func TestSecondFence(t *testing.T) {
	r := testTables(t)
	for query, want := range map[string]string{
		"SELECT count(), uniqExact(project) FROM trackway.requests":                                              "20000\t1\n",
		"SELECT count() FROM (SELECT * FROM trackway.requests) WHERE project = 'other'":                          "0\n",
		"SELECT sum(cnt) FROM trackway.cnt_m":                                                                    "20000\n",
		"SELECT count() FROM trackway.journey WHERE project != 'default'":                                        "0\n",
		"SELECT sum(cnt), uniqExact(project) FROM trackway.lat_h":                                                "20000\t1\n",
		"SELECT countIf(project = 'other') FROM trackway.requests AS a JOIN trackway.cnt_h AS b USING (project)": "0\n",
	} {
		if got, err := r.run(t, query); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", query, got, err, want)
		}
	}
	for _, query := range []string{"DROP TABLE trackway.requests", "SET max_memory_usage = 1", "INSERT INTO trackway.cnt_m (project) VALUES ('x')", "SELECT 1 SETTINGS additional_table_filters = {}", "CREATE TABLE t (a Int8) ENGINE = Memory", "SELECT * FROM url('http://127.0.0.1:1/', CSV, 'a String')"} {
		if got, err := r.run(t, query); err == nil {
			t.Errorf("%s: %q", query, got)
		}
	}
}
