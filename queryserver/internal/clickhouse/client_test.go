package clickhouse

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/internal/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect gives a client of TRACKWAY_TEST_CLICKHOUSE or of an engine of the test's own.
func connect(t *testing.T, change func(*Options)) *Client {
	t.Helper()
	given := os.Getenv("TRACKWAY_TEST_CLICKHOUSE")
	if given == "" {
		engine := enginetest.Start(t)
		given = "http://" + engine.User + ":" + engine.Password + "@" + strings.TrimPrefix(engine.URL, "http://")
	}
	u, err := url.Parse(given)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Username: u.User.Username(), Database: "default", Timeout: 20 * time.Second}
	o.Password, _ = u.User.Password()
	u.User = nil
	o.Endpoint = u
	if change != nil {
		change(&o)
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

func TestClient(t *testing.T) {
	c := connect(t, nil)
	with := func(change func(*Options)) *Client {
		o := c.opts
		change(&o)
		other := New(o)
		t.Cleanup(other.Close)
		return other
	}

	t.Run("every type comes back", func(t *testing.T) {
		type row struct {
			U8  uint8
			U16 uint16
			U32 uint32
			U64 uint64
			I64 int64
			F32 float32
			S   string
			L   string
			X   [4]byte
			M   map[string]string
		}
		var got []row
		_, err := c.Select(t.Context(), Query{Name: "types", SQL: `SELECT toUInt8(255), toUInt16(65535), toUInt32(4294967295), toUInt64(18446744073709551615),
			toInt64(-5), toFloat32(1.5), 'é', toLowCardinality('low'), toFixedString('ab', 4), map('k', 'v', '', 'empty')::Map(LowCardinality(String), String) FROM numbers(2)`},
			func(r *Reader) {
				v := row{U8: r.Uint8(), U16: r.Uint16(), U32: r.Uint32(), U64: r.Uint64(), I64: r.Int64(), F32: r.Float32(), S: r.String(), L: r.String(), M: map[string]string{}}
				r.Fixed(v.X[:])
				for range r.Len() {
					k := r.String()
					v.M[k] = r.String()
				}
				got = append(got, v)
			})
		want := row{255, 65535, 1<<32 - 1, 1<<64 - 1, -5, 1.5, "é", "low", [4]byte{'a', 'b'}, map[string]string{"k": "v", "": "empty"}}
		if err != nil || !reflect.DeepEqual(got, []row{want, want}) {
			t.Errorf("got %+v, %v", got, err)
		}
	})

	t.Run("parameters arrive as they are", func(t *testing.T) {
		for _, v := range []string{"", "plain", `\`, `\\`, `\n`, "a\nb\tc\rd", "nul\x00l", "'; DROP TABLE x --", "{p:String}", "é\u2028", "\b\f", "%27", "\xff"} {
			var got string
			_, err := c.Select(t.Context(), Query{Name: "echo", SQL: "SELECT {v:String}", Params: map[string]string{"v": v}}, func(r *Reader) { got = r.String() })
			if err != nil || got != v {
				t.Errorf("%q came back as %q, %v", v, got, err)
			}
		}
	})

	t.Run("statistics", func(t *testing.T) {
		s, err := c.Select(t.Context(), Query{Name: "count", SQL: "SELECT sum(number) FROM numbers(100000)"}, func(r *Reader) { r.Uint64() })
		if err != nil || s.RowsRead != 100_000 || s.BytesRead == 0 || s.Elapsed <= 0 {
			t.Errorf("%+v, %v", s, err)
		}
	})

	t.Run("settings the store does not know are left out", func(t *testing.T) {
		n := 0
		q := Query{Name: "tuned", SQL: "SELECT toUInt8(1)", Settings: map[string]string{"no_such_setting": "1", "another_new_setting": "0", "max_block_size": "1"}}
		if _, err := c.Select(t.Context(), q, func(r *Reader) { r.Uint8(); n++ }); err != nil || n != 1 {
			t.Errorf("%d rows, %v", n, err)
		}
		q.Settings = map[string]string{"max_block_size": "none"}
		if _, err := c.Select(t.Context(), q, func(r *Reader) { r.Uint8() }); err == nil {
			t.Error("a wrong value was taken")
		}
	})

	t.Run("nothing is written", func(t *testing.T) {
		for _, sql := range []string{"CREATE TABLE w (x UInt8) ENGINE = Memory", "SELECT * FROM file('/etc/hostname', LineAsString)", "SET max_threads = 1"} {
			if _, err := c.Select(t.Context(), Query{Name: "write", SQL: sql}, func(r *Reader) { _ = r.String() }); err == nil {
				t.Errorf("%s was carried out", sql)
			}
		}
	})

	for name, tc := range map[string]struct {
		client   *Client
		sql      string
		is       func(error) bool
		settings map[string]string
	}{
		"no table":    {c, "SELECT 1 FROM nowhere", IsNoSchema, nil},
		"no database": {with(func(o *Options) { o.Database = "nowhere" }), "SELECT 1", IsNoSchema, nil},
		"password":    {with(func(o *Options) { o.Password = "wrong" }), "SELECT 1", IsDenied, nil},
		"time":        {with(func(o *Options) { o.Timeout = 300 * time.Millisecond }), "SELECT sleepEachRow(0.1) FROM numbers(100)", IsTimeout, oneByOne},
		"memory":      {c, "SELECT groupArray(number) FROM numbers(100000000)", IsOverloaded, map[string]string{"max_memory_usage": "1000000"}},
		"unreachable": {with(func(o *Options) { o.Endpoint = &url.URL{Scheme: "http", Host: "127.0.0.1:9"} }), "SELECT 1", func(err error) bool { return errors.Is(err, ErrUnreachable) }, nil},
	} {
		t.Run("error "+name, func(t *testing.T) {
			_, err := tc.client.Select(t.Context(), Query{Name: "fails", SQL: tc.sql, Settings: tc.settings}, func(r *Reader) { r.Uint8() })
			if err == nil || !tc.is(err) {
				t.Errorf("got %v", err)
			}
		})
	}

	t.Run("a canceled question stops in the store", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		mark := "canceled_" + time.Now().Format("150405.000000")
		running := func() (n uint64) {
			_, err := c.Select(t.Context(), Query{Name: "running", SQL: "SELECT count() FROM system.processes WHERE position(query, {m:String}) > 0 AND query NOT LIKE '%system.processes%'", Params: map[string]string{"m": mark}},
				func(r *Reader) { n = r.Uint64() })
			if err != nil {
				t.Error(err)
			}
			return n
		}
		done := make(chan error, 1)
		go func() {
			_, err := c.Select(ctx, Query{Name: "slow", SQL: "SELECT sleepEachRow(0.05), '" + mark + "' FROM numbers(300)", Settings: oneByOne}, func(r *Reader) { r.Uint8(); _ = r.String() })
			done <- err
		}()
		waitFor(t, "the statement to run", func() bool { return running() == 1 })
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		waitFor(t, "the statement to be gone", func() bool { return running() == 0 })
	})
}

// What is no ClickHouse is said to be none, and a cut answer is no answer.
func TestForeignAndCutAnswers(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"a proxy's page": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<html>Bad Gateway", http.StatusBadGateway)
		},
		"a cut row":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{5, 'a'}) },
		"a huge length": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{255, 255, 255, 255, 255, 1}) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler)
			defer server.Close()
			u, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			c := New(Options{Endpoint: u, Database: "default", Timeout: time.Second})
			defer c.Close()
			if _, err := c.Select(t.Context(), Query{Name: "x", SQL: "SELECT 1"}, func(r *Reader) { _ = r.String() }); err == nil {
				t.Error("it was taken for an answer")
			}
		})
	}
}

// oneByOne makes blocks of one row, between which the store looks at the clock
// and at who wants to stop it.
var oneByOne = map[string]string{"max_block_size": "1"}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
