package clickhouse

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestStream(t *testing.T) {
	c := connect(t, nil)
	open := func(sql string, change func(*StreamQuery)) (*Stream, error) {
		q := StreamQuery{Query: Query{Name: "test", SQL: sql}, Format: "TSV", ID: "stream", Timeout: 20 * time.Second}
		if change != nil {
			change(&q)
		}
		return c.Open(t.Context(), q)
	}
	t.Run("an answer", func(t *testing.T) {
		s, err := open("SELECT {a:String}, currentDatabase() FROM numbers(3)", func(q *StreamQuery) {
			q.Params, q.Database, q.Whole = map[string]string{"a": "x\ty"}, "system", true
			q.Settings = map[string]string{"no_such_setting": "1", "max_threads": "1"}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		got, err := io.ReadAll(s)
		if want := strings.Repeat("x\\ty\tsystem\n", 3); err != nil || string(got) != want || s.Stats.RowsRead != 3 {
			t.Errorf("%q, %v, %+v", got, err, s.Stats)
		}
	})
	t.Run("an exception at once", func(t *testing.T) {
		_, err := open("SELECT throwIf(1)", nil)
		var e *Exception
		if !errors.As(err, &e) || e.Code != 395 {
			t.Errorf("%v", err)
		}
	})
	t.Run("an exception behind rows", func(t *testing.T) {
		s, err := open("SELECT number, throwIf(number = 900000, 'told late') FROM numbers(1000000)", func(q *StreamQuery) { q.Settings = map[string]string{"max_block_size": "1000"} })
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		got, err := io.ReadAll(s)
		var e *Exception
		if !errors.As(err, &e) || e.Code != 395 || !strings.Contains(e.Message, "told late") || strings.Contains(e.Message, "__exception__") {
			t.Errorf("%v", err)
		}
		if n := len(got); n < 1<<20 || got[n-1] != '\n' || strings.Contains(string(got[max(0, n-1000):]), "exception") {
			t.Errorf("%d bytes, ends %q", n, got[max(0, n-100):])
		}
	})
	t.Run("stopped", func(t *testing.T) {
		s, err := open("SELECT number, repeat('x', 100) FROM numbers(10000000)", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if found, err := c.Kill(t.Context(), "stream"); !found || err != nil {
			t.Errorf("kill: %v, %v", found, err)
		}
		_, err = io.Copy(io.Discard, s)
		var e *Exception
		if !errors.As(err, &e) || e.Code != 394 {
			t.Errorf("%v", err)
		}
		if found, err := c.Kill(t.Context(), "stream-of-nobody"); found || err != nil {
			t.Errorf("kill of nothing: %v, %v", found, err)
		}
	})
	t.Run("left", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := c.Open(ctx, StreamQuery{Query: Query{Name: "test", SQL: "SELECT number, repeat('x', 100) FROM numbers(10000000)"}, Format: "TSV", ID: "left", Timeout: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		cancel()
		if _, err := io.Copy(io.Discard, s); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
	t.Run("as another", func(t *testing.T) {
		_, err := c.As("nobody", "x").Open(t.Context(), StreamQuery{Query: Query{SQL: "SELECT 1"}, ID: "nobody", Timeout: time.Second})
		if !IsDenied(err) {
			t.Errorf("%v", err)
		}
	})
}
