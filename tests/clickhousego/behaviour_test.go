package clickhousego_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// patience bounds waiting for something that must happen; nothing is measured.
const patience = 60 * time.Second

// TestCancellation ends a query by its context and wants it gone from
// system.processes, and the connection pool usable afterwards.
func TestCancellation(t *testing.T) {
	engine := harness.StartEngine(t)
	conn := engine.Open(t)
	const marker = "cancel-me-3f1c"
	running := func() string {
		return engine.Query(t, "SELECT count() FROM system.processes WHERE query LIKE '%cancel-me%' AND query NOT LIKE '%system.processes%'")
	}

	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		rows, err := conn.Query(ctx, "SELECT sum(cityHash64(number)) AS `"+marker+"` FROM numbers(1000000000000)")
		if err == nil {
			for rows.Next() {
			}
			err = errors.Join(rows.Err(), rows.Close())
		}
		failed <- err
	}()
	require.Eventually(t, func() bool { return running() == "1" }, patience, 20*time.Millisecond, "the query is seen in system.processes")
	cancel()
	select {
	case err := <-failed:
		require.Error(t, err)
	case <-time.After(patience):
		t.Fatal("the driver did not return after its context ended")
	}
	require.Eventually(t, func() bool { return running() == "0" }, patience, 20*time.Millisecond, "the query is killed")

	var one uint8
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT 1").Scan(&one))
}

// TestKillQuery kills a query by the id its sender chose.
func TestKillQuery(t *testing.T) {
	engine := harness.StartEngine(t)
	conn := engine.Open(t)
	failed := make(chan error, 1)
	go func() {
		ctx := clickhouse.Context(context.Background(), clickhouse.WithQueryID("black-box-kill"))
		var sum uint64
		failed <- conn.QueryRow(ctx, "SELECT sum(cityHash64(number)) FROM numbers(1000000000000)").Scan(&sum)
	}()
	require.Eventually(t, func() bool {
		return engine.Query(t, "SELECT count() FROM system.processes WHERE query LIKE '%1000000000000%' AND query NOT LIKE '%system.processes%'") == "1"
	}, patience, 20*time.Millisecond)
	engine.Query(t, "KILL QUERY WHERE query_id = 'black-box-kill' SYNC")
	select {
	case err := <-failed:
		var exception *clickhouse.Exception
		require.ErrorAs(t, err, &exception)
		assert.EqualValues(t, 394, exception.Code, "QUERY_WAS_CANCELLED: %v", err)
	case <-time.After(patience):
		t.Fatal("the killed query did not return")
	}
}

// TestErrors wants ClickHouse's codes through the driver, also where the error
// comes after rows.
func TestErrors(t *testing.T) {
	engine := harness.StartEngine(t)
	for method, compression := range compressions {
		t.Run(method, func(t *testing.T) {
			conn := engine.Open(t, withCompression(compression))
			for _, c := range []struct {
				name, sql string
				code      int
			}{
				{"syntax", "SELEC 1", 62},
				{"unknown table", "SELECT * FROM nowhere", 60},
				{"unknown function", "SELECT nonsense(1)", 46},
				{"after rows", "SELECT throwIf(number = 3000000, 'boom') FROM numbers(4000000) SETTINGS max_block_size = 10000", 395},
			} {
				t.Run(c.name, func(t *testing.T) {
					err := conn.Exec(t.Context(), c.sql)
					if c.name == "after rows" {
						rows, queryErr := conn.Query(t.Context(), c.sql)
						err = queryErr
						if err == nil {
							for rows.Next() {
							}
							err = errors.Join(rows.Err(), rows.Close())
						}
					}
					var exception *clickhouse.Exception
					require.ErrorAs(t, err, &exception)
					assert.EqualValues(t, c.code, exception.Code, "%v", err)
				})
			}
		})
	}
}

// TestConcurrentQueries runs 32 queries at once, each with its own answer.
func TestConcurrentQueries(t *testing.T) {
	engine := harness.StartEngine(t)
	conn := engine.Open(t, withCompression(compressions["lz4"]))
	require.NoError(t, conn.Exec(t.Context(), "CREATE TABLE c (k UInt32, v String) ENGINE = MergeTree ORDER BY k"))
	require.NoError(t, conn.Exec(t.Context(), "INSERT INTO c SELECT number % 32, repeat(toString(number), 10) FROM numbers(320000)"))

	const queries = 32
	start := make(chan struct{})
	errs := make([]error, queries)
	var group sync.WaitGroup
	for i := range queries {
		group.Go(func() {
			<-start
			errs[i] = func() error {
				rows, err := conn.Query(t.Context(), "SELECT v FROM c WHERE k = ?", i)
				if err != nil {
					return err
				}
				defer func() { _ = rows.Close() }()
				n := 0
				for ; rows.Next(); n++ {
					var v string
					if err := rows.Scan(&v); err != nil {
						return err
					}
					number, err := strconv.Atoi(v[:len(v)/10])
					if err != nil || number%queries != i {
						return fmt.Errorf("query for %d got a row of another: %.40s", i, v)
					}
				}
				if n != 10000 {
					return fmt.Errorf("query for %d got %d rows, want 10000: %w", i, n, rows.Err())
				}
				return rows.Err()
			}()
		})
	}
	close(start)
	group.Wait()
	for _, err := range errs {
		assert.NoError(t, err)
	}
}

// insertTotal is how much TestLargeInsert writes: 64 MiB, or the size in
// $TRACKWAY_INSERT_MIB (make soak: 1024).
func insertTotal(t *testing.T) int {
	t.Helper()
	mib := 64
	if text := os.Getenv("TRACKWAY_INSERT_MIB"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err, "TRACKWAY_INSERT_MIB")
		mib = n
	}
	return mib << 20
}

// TestLargeInsert streams one batch after another and wants every row back, and
// the engine's memory to stay below the budget it was given however much is
// written.
func TestLargeInsert(t *testing.T) {
	const budget = 1 << 30 // the least an engine takes
	// The library's own image and what lies outside ClickHouse's accounting.
	const outside = 512 << 20
	engine := harness.StartEngine(t, "--memory", strconv.Itoa(budget))
	conn := engine.Open(t, withCompression(compressions["lz4"]))
	require.NoError(t, conn.Exec(t.Context(), "CREATE TABLE big (n UInt64, v String) ENGINE = MergeTree ORDER BY n"))

	const rowBytes, batchRows = 1024, 8192
	total, rows := insertTotal(t), uint64(0)
	var peak, early int64
	for written := 0; written < total; {
		batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO big")
		require.NoError(t, err)
		for range batchRows {
			require.NoError(t, batch.Append(rows, payload(rows, rowBytes)))
			rows++
			written += rowBytes
		}
		require.NoError(t, batch.Send())
		peak = max(peak, harness.RSS(t, engine.PID()))
		if written <= total/2 {
			early = peak
		}
	}
	var count, sum uint64
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(), sum(n) FROM big").Scan(&count, &sum))
	assert.Equal(t, rows, count)
	assert.Equal(t, rows*(rows-1)/2, sum)
	var v string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT v FROM big WHERE n = 4711").Scan(&v))
	assert.Equal(t, payload(4711, rowBytes), v)
	t.Logf("%d MiB written, peak resident memory %d MiB, %d MiB in the first half", total>>20, peak>>20, early>>20)
	assert.Less(t, peak, int64(budget+outside), "resident memory of the engine")
	if total >= 1<<30 {
		// Caches have filled by the middle: from there on memory is flat.
		assert.Less(t, peak, early+128<<20, "resident memory in the second half of a long run")
	}
}

// payload is a value of n bytes that differs in every row and does not compress
// to nothing.
func payload(row uint64, n int) string {
	var b strings.Builder
	state := row*2862933555777941757 + 3037000493
	for b.Len() < n {
		state = state*6364136223846793005 + 1442695040888963407
		b.WriteString(strconv.FormatUint(state, 36))
	}
	return b.String()[:n]
}

// TestOneHugeInsert sends a single body far larger than one block, streamed, and
// wants it inserted in bounded memory.
func TestOneHugeInsert(t *testing.T) {
	const budget, outside = 1 << 30, 512 << 20
	engine := harness.StartEngine(t, "--memory", strconv.Itoa(budget))
	engine.Query(t, "CREATE TABLE huge (n UInt64, v String) ENGINE = MergeTree ORDER BY n")
	total := insertTotal(t)
	const rowBytes = 1000
	rows := total / rowBytes
	body := &generated{rows: rows, payload: rowBytes}
	watch := make(chan struct{})
	var peak int64
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-watch:
				return
			case <-time.After(50 * time.Millisecond):
				peak = max(peak, harness.RSS(t, engine.PID()))
			}
		}
	})
	err := engine.Insert(t.Context(), "INSERT INTO huge FORMAT TabSeparated", body)
	close(watch)
	group.Wait()
	require.NoError(t, err)
	assert.Equal(t, strconv.Itoa(rows), engine.Query(t, "SELECT count() FROM huge"))
	t.Logf("%d MiB in one request, peak resident memory %d MiB", total>>20, peak>>20)
	assert.Less(t, peak, int64(budget+outside), "resident memory of the engine")
}

// generated is a request body that is made while it is read.
type generated struct {
	rows, row, payload int
	rest               string
}

func (g *generated) Read(p []byte) (int, error) {
	if g.rest == "" {
		if g.row == g.rows {
			return 0, io.EOF
		}
		g.rest = strconv.Itoa(g.row) + "\t" + payload(uint64(g.row), g.payload) + "\n"
		g.row++
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// TestDatabaseSQL uses the driver through database/sql and a DSN, as programs
// that do not know ClickHouse do.
func TestDatabaseSQL(t *testing.T) {
	engine := harness.StartEngine(t)
	for _, compress := range []string{"none", "lz4", "zstd", "gzip"} {
		t.Run(compress, func(t *testing.T) {
			db, err := sql.Open("clickhouse", "http://"+engine.User+":"+engine.Password+"@"+engine.Addr+"/default?compress="+compress)
			require.NoError(t, err)
			defer func() { _ = db.Close() }()
			require.NoError(t, db.PingContext(t.Context()))
			_, err = db.ExecContext(t.Context(), "CREATE TABLE std_"+compress+" (a UInt64, b String, c Nullable(Float64)) ENGINE = MergeTree ORDER BY a")
			require.NoError(t, err)

			tx, err := db.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			insert, err := tx.PrepareContext(t.Context(), "INSERT INTO std_"+compress)
			require.NoError(t, err)
			for i := range 1000 {
				var c any
				if i%2 == 0 {
					c = float64(i) / 2
				}
				_, err = insert.ExecContext(t.Context(), uint64(i), "row "+strconv.Itoa(i), c)
				require.NoError(t, err)
			}
			require.NoError(t, tx.Commit())

			rows, err := db.QueryContext(t.Context(), "SELECT a, b, c FROM std_"+compress+" WHERE a >= ? AND b != ? ORDER BY a", 990, "row 995")
			require.NoError(t, err)
			defer func() { _ = rows.Close() }()
			n := 0
			for ; rows.Next(); n++ {
				var a uint64
				var b string
				var c sql.NullFloat64
				require.NoError(t, rows.Scan(&a, &b, &c))
				assert.Equal(t, "row "+strconv.FormatUint(a, 10), b)
				want := sql.NullFloat64{}
				if a%2 == 0 {
					want = sql.NullFloat64{Float64: float64(a) / 2, Valid: true}
				}
				assert.Equal(t, want, c)
			}
			require.NoError(t, rows.Err())
			assert.Equal(t, 9, n)
		})
	}
}
