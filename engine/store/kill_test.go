package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/chdb"
	"github.com/trackwayhq/trackway/internal/enginetest"
)

// The tests below run the real engine in a child process, this test binary
// started again, and kill it by strace at the entry of a chosen rename.

// childVariable carries the child's order as JSON.
const childVariable = "TRACKWAY_TEST_STORE_CHILD"

type childOrder struct {
	Library, EnginePath string
	Statements          []string
}

func TestMain(m *testing.M) {
	if order := os.Getenv(childVariable); order != "" {
		if err := runChild(order); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// runChild runs statements on the engine and prints their results, a line each.
func runChild(text string) error {
	var order childOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		return err
	}
	library, err := chdb.Load(order.Library)
	if err != nil {
		return err
	}
	instance, err := library.Open([]string{"--path=" + order.EnginePath})
	if err != nil {
		return err
	}
	defer instance.Close()
	conn, err := instance.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, s := range order.Statements {
		result, err := conn.Query(s, "TSV", nil)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if _, err := os.Stdout.Write(result.Bytes()); err != nil {
			return err
		}
		result.Close()
	}
	return nil
}

// engine gives the command of a child that runs the statements below path.
func engine(t *testing.T, prefix []string, path string, statements ...string) *exec.Cmd {
	t.Helper()
	lib, err := enginetest.Library()
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	order, err := json.Marshal(childOrder{lib, path, statements})
	require.NoError(t, err)
	argv := append(append([]string{}, prefix...), self)
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), childVariable+"="+string(order), "TZ=UTC")
	return cmd
}

// ask runs statements to their end and returns the lines they answer.
func ask(t *testing.T, path string, statements ...string) []string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := engine(t, nil, path, statements...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	return strings.Fields(string(out))
}

// killAtRename runs statements and kills the engine as a thread of its enters
// its nth rename, before the rename happens.
func killAtRename(t *testing.T, n int, path string, statements ...string) {
	t.Helper()
	strace, err := exec.LookPath("strace")
	require.NoError(t, err, "this test needs strace: apt-get install strace")
	out, err := engine(t, []string{strace, "-f", "-q", "-o", os.DevNull,
		"-e", "trace=rename,renameat,renameat2",
		"-e", fmt.Sprintf("inject=rename,renameat,renameat2:signal=SIGKILL:when=%d", n)}, path, statements...).CombinedOutput()
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit), "the engine was not killed: %v %s", err, out)
	status, ok := exit.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	require.True(t, status.Signaled() && status.Signal() == syscall.SIGKILL, "%v %s", err, out)
}

const rowsOfUnit = "5"

var (
	schema = []string{
		"CREATE DATABASE d ENGINE = Atomic",
		"CREATE TABLE d.raw (ts DateTime, v UInt64) ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY v SETTINGS non_replicated_deduplication_window = 1000",
		"CREATE TABLE d.rollup (day Date, cnt SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(day) ORDER BY day SETTINGS non_replicated_deduplication_window = 1000",
		"CREATE MATERIALIZED VIEW d.view TO d.rollup AS SELECT toDate(ts) AS day, count() AS cnt FROM d.raw GROUP BY day",
	}
	// insert is a unit of five rows in two partitions, under one token: three
	// renames, two of raw parts and one of the rollup's.
	insert = "INSERT INTO d.raw SETTINGS insert_deduplication_token = 'unit-1', deduplicate_blocks_in_dependent_materialized_views = 1 " +
		"SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + number * 40000, number FROM numbers(5)"
	count = []string{"SELECT count() FROM d.raw", "SELECT sum(cnt) FROM d.rollup"}
)

func TestKillBetweenDeduplicationRecordAndRename(t *testing.T) {
	for n, table := range map[int]string{1: "d.raw", 2: "d.raw", 3: "d.rollup"} {
		t.Run(fmt.Sprintf("rename %d", n), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			s, _ := open(t, dir)
			ask(t, s.EnginePath(), schema...)
			killAtRename(t, n, s.EnginePath(), insert)
			require.NoError(t, s.Abandon()) // what the kernel does for a killed engine

			// Without the check the retry is answered as done, and rows are gone.
			// Should this fail, the engine has learnt to do it itself.
			broken := filepath.Join(t.TempDir(), "unchecked")
			require.NoError(t, os.CopyFS(broken, os.DirFS(filepath.Join(dir, "store"))))
			lost := ask(t, broken, append([]string{insert}, count...)...)
			require.NotEqual(t, []string{rowsOfUnit, rowsOfUnit}, lost, "the engine needs the check no more")

			s, report := open(t, dir)
			require.True(t, report.Unclean)
			require.Len(t, report.Dropped, 1)
			require.Equal(t, table, report.Dropped[0].Table)
			require.Equal(t, []string{rowsOfUnit, rowsOfUnit}, ask(t, s.EnginePath(), append([]string{insert}, count...)...))
			require.Equal(t, []string{rowsOfUnit, rowsOfUnit}, ask(t, s.EnginePath(), append([]string{insert}, count...)...), "a repeated token is stored once")
			require.Equal(t, []string{"1", "1"}, ask(t, s.EnginePath(), "CHECK TABLE d.raw SETTINGS check_query_single_value_result = 1", "CHECK TABLE d.rollup SETTINGS check_query_single_value_result = 1"))
			left, err := filepath.Glob(filepath.Join(s.EnginePath(), "store", "*", "*", "tmp*"))
			require.NoError(t, err)
			require.Empty(t, left, "the engine removes its unfinished parts itself")
			require.NoError(t, s.Close())
		})
	}
}

// What merged, was dropped by DDL or detached while the engine ran keeps or
// loses its record as documented.
func TestCheckKnowsMergedAndDroppedParts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s, _ := open(t, dir)
	second := strings.Replace(insert, "unit-1", "unit-2", 1)
	ask(t, s.EnginePath(), append(append([]string{}, schema...), insert, second,
		"OPTIMIZE TABLE d.raw PARTITION '2026-01-01' FINAL", "OPTIMIZE TABLE d.rollup FINAL",
		"ALTER TABLE d.raw DROP PARTITION '2026-01-02'")...)
	require.NoError(t, s.Abandon())
	s, report := open(t, dir)
	require.Empty(t, report.Dropped)
	require.NotZero(t, report.Records)
	// Tokens of the merged partition still hold; those of the dropped one are free.
	require.Equal(t, []string{"6", "10"}, ask(t, s.EnginePath(), count...))
	require.Equal(t, []string{"8"}, ask(t, s.EnginePath(), insert, count[0]))
	require.NoError(t, s.Close())
}

// A small window makes the engine start new log files and delete old ones.
func TestCheckReadsRotatedLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s, _ := open(t, dir)
	statements := []string{schema[0], strings.Replace(schema[1], "window = 1000", "window = 3", 1)}
	for i := range 20 {
		statements = append(statements, strings.Replace(insert, "unit-1", fmt.Sprint("unit-", i+100), 1))
	}
	ask(t, s.EnginePath(), statements...)
	logs, err := filepath.Glob(filepath.Join(s.EnginePath(), "store", "*", "*", "deduplication_logs", "*"))
	require.NoError(t, err)
	require.Greater(t, len(logs), 1, "the engine rotated nothing")
	before := ask(t, s.EnginePath(), count[0])

	killAtRename(t, 2, s.EnginePath(), insert)
	require.NoError(t, s.Abandon())
	s, report := open(t, dir)
	require.Len(t, report.Dropped, 1)
	require.Equal(t, []string{"100"}, before)
	require.Equal(t, []string{"105"}, ask(t, s.EnginePath(), insert, count[0]))
	require.Equal(t, []string{"105"}, ask(t, s.EnginePath(), insert, count[0]))
	require.NoError(t, s.Close())
}
