package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/engine/enginetest"
)

// open connects clickhouse-go over HTTP.
func open(t *testing.T, server *enginetest.Server, change func(*clickhouse.Options)) driver.Conn {
	t.Helper()
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	options := &clickhouse.Options{
		Protocol: clickhouse.HTTP,
		Addr:     []string{address.Host},
		Auth:     clickhouse.Auth{Database: "default", Username: server.User, Password: server.Password},
	}
	if change != nil {
		change(options)
	}
	conn, err := clickhouse.Open(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn
}

func TestDriverRoundTripsBatchesUnderEveryCompression(t *testing.T) {
	server := enginetest.Start(t)
	server.Exec(t, "CREATE TABLE batches (id UInt64, name LowCardinality(String), tags Map(LowCardinality(String), String), at DateTime64(9, 'UTC')) ENGINE = MergeTree ORDER BY id")
	at := time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)
	for name, method := range map[string]clickhouse.CompressionMethod{
		"none": clickhouse.CompressionNone, "lz4": clickhouse.CompressionLZ4, "zstd": clickhouse.CompressionZSTD,
		"gzip": clickhouse.CompressionGZIP, "deflate": clickhouse.CompressionDeflate, "brotli": clickhouse.CompressionBrotli,
	} {
		t.Run(name, func(t *testing.T) {
			server.Exec(t, "TRUNCATE TABLE batches")
			conn := open(t, server, func(o *clickhouse.Options) {
				o.Compression = &clickhouse.Compression{Method: method, Level: 3}
			})
			const rows = 70_000 // more than one block of a result
			batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO batches")
			require.NoError(t, err)
			for i := range uint64(rows) {
				require.NoError(t, batch.Append(i, fmt.Sprint("name ", i%7), map[string]string{"k": fmt.Sprint(i)}, at.Add(time.Duration(i))))
			}
			require.NoError(t, batch.Send())

			result, err := conn.Query(t.Context(), "SELECT id, name, tags, at FROM batches WHERE id % {n:UInt8} = 0 ORDER BY id", clickhouse.Named("n", "2"))
			require.NoError(t, err)
			count := uint64(0)
			for result.Next() {
				var id uint64
				var text string
				var tags map[string]string
				var when time.Time
				require.NoError(t, result.Scan(&id, &text, &tags, &when))
				require.Equal(t, count*2, id)
				require.Equal(t, fmt.Sprint("name ", id%7), text)
				require.Equal(t, map[string]string{"k": fmt.Sprint(id)}, tags)
				require.True(t, at.Add(time.Duration(id)).Equal(when))
				count++
			}
			require.NoError(t, result.Err())
			require.EqualValues(t, rows/2, count)

			var exception *clickhouse.Exception
			require.ErrorAs(t, conn.Exec(t.Context(), "SELECT * FROM nowhere"), &exception)
			require.EqualValues(t, 60, exception.Code)
		})
	}
}

func TestDriverSeesAnExceptionBehindTheFirstRows(t *testing.T) {
	server := enginetest.Start(t)
	for name, method := range map[string]clickhouse.CompressionMethod{
		"none": clickhouse.CompressionNone, "lz4": clickhouse.CompressionLZ4, "zstd": clickhouse.CompressionZSTD, "gzip": clickhouse.CompressionGZIP,
	} {
		t.Run(name, func(t *testing.T) {
			conn := open(t, server, func(o *clickhouse.Options) { o.Compression = &clickhouse.Compression{Method: method} })
			rows, err := conn.Query(t.Context(), "SELECT cityHash64(number), throwIf(number = 5000000, 'enough') FROM numbers(10000000)")
			require.NoError(t, err)
			count := 0
			for rows.Next() {
				count++
			}
			var exception *clickhouse.Exception
			require.ErrorAs(t, rows.Err(), &exception)
			require.EqualValues(t, 395, exception.Code)
			require.Contains(t, exception.Message, "enough")
			require.Positive(t, count)
		})
	}
}

func TestDriverCancellationStopsTheQuery(t *testing.T) {
	server := enginetest.Start(t)
	conn := open(t, server, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		failed <- conn.Exec(clickhouse.Context(ctx, clickhouse.WithQueryID("endless")), "SELECT count() FROM system.numbers WHERE NOT ignore(sipHash64(number))")
	}()
	runningNow := func() string {
		return strings.TrimSpace(server.Query(t, "SELECT count() FROM system.processes WHERE query_id = 'endless'"))
	}
	require.Eventually(t, func() bool { return runningNow() == "1" }, 20*time.Second, 10*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	require.Eventually(t, func() bool { return runningNow() == "0" }, 20*time.Second, 10*time.Millisecond)
}

func TestKillQueryByID(t *testing.T) {
	server := enginetest.Start(t)
	conn := open(t, server, nil)
	failed := make(chan error, 1)
	go func() {
		failed <- conn.Exec(clickhouse.Context(t.Context(), clickhouse.WithQueryID("it's endless")), "SELECT count() FROM system.numbers WHERE NOT ignore(sipHash64(number))")
	}()
	require.Eventually(t, func() bool {
		return strings.Contains(server.Query(t, "KILL QUERY WHERE query_id = 'it\\'s endless' ASYNC"), "waiting")
	}, 20*time.Second, 10*time.Millisecond)
	var exception *clickhouse.Exception
	require.ErrorAs(t, <-failed, &exception)
	require.EqualValues(t, 394, exception.Code)
}

func TestProcessListShowsQueryIDs(t *testing.T) {
	server := enginetest.Start(t)
	for _, query := range []string{"SHOW PROCESSLIST FORMAT JSONEachRow", "SELECT * FROM system.processes FORMAT JSONEachRow"} {
		response := do(t, server, http.MethodPost, target("query_id", "mine", "log_comment", "a comment"), query)
		require.Contains(t, read(t, response), `"query_id":"mine"`)
	}
}

func TestThirtyTwoConcurrentQueries(t *testing.T) {
	server := enginetest.Start(t)
	server.Exec(t, "CREATE TABLE numbered (worker UInt32, n UInt64) ENGINE = MergeTree ORDER BY (worker, n)")
	conn := open(t, server, func(o *clickhouse.Options) { o.MaxOpenConns = 32; o.MaxIdleConns = 32 })
	var group errgroup.Group
	for worker := range uint32(32) {
		group.Go(func() error {
			for round := range uint64(5) {
				batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO numbered")
				if err != nil {
					return err
				}
				for n := range uint64(1000) {
					if err := batch.Append(worker, round*1000+n); err != nil {
						return err
					}
				}
				if err := batch.Send(); err != nil {
					return err
				}
				var count, sum, echo uint64
				if err := conn.QueryRow(t.Context(), fmt.Sprintf("SELECT count(), sum(n), toUInt64(%d) FROM numbered WHERE worker = %d", worker, worker)).Scan(&count, &sum, &echo); err != nil {
					return err
				}
				if want := (round + 1) * 1000; count != want || sum != want*(want-1)/2 || echo != uint64(worker) {
					return fmt.Errorf("worker %d round %d: got count %d sum %d echo %d", worker, round, count, sum, echo)
				}
			}
			// A result of several pieces keeps its own bytes beside 31 others.
			rows, err := conn.Query(t.Context(), fmt.Sprintf("SELECT number + %d FROM numbers(200000)", worker))
			if err != nil {
				return err
			}
			for n := uint64(worker); rows.Next(); n++ {
				var got uint64
				if err := rows.Scan(&got); err != nil {
					return err
				}
				if got != n {
					return fmt.Errorf("worker %d: got %d, want %d", worker, got, n)
				}
			}
			return errors.Join(rows.Err(), rows.Close())
		})
	}
	require.NoError(t, group.Wait())
}

func TestExternalTables(t *testing.T) {
	server := enginetest.Start(t)
	table, err := ext.NewTable("wanted", ext.Column("id", "UInt64"), ext.Column("name", "String"))
	require.NoError(t, err)
	for i := range uint64(10) {
		require.NoError(t, table.Append(i, fmt.Sprint("n", i)))
	}
	conn := open(t, server, nil)
	var names []string
	require.NoError(t, conn.QueryRow(clickhouse.Context(t.Context(), clickhouse.WithExternalTable(table)),
		"SELECT groupArray(name) FROM (SELECT name FROM numbers(3) AS n JOIN wanted ON n.number = wanted.id ORDER BY name)").Scan(&names))
	require.Equal(t, []string{"n0", "n1", "n2"}, names)
}
