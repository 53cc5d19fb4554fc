package clickhousego_test

import (
	"context"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/tests/harness"
)

// equality compares what was written with what was read: instants, not their
// zones; numbers by value; NaN equal to itself; an empty slice or map equal to
// none.
var equality = cmp.Options{
	cmpopts.EquateNaNs(),
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }),
	cmp.Comparer(func(a, b big.Int) bool { return a.Cmp(&b) == 0 }),
}

// compressions are the methods the driver offers over HTTP.
var compressions = map[string]*clickhouse.Compression{
	"none":    nil,
	"lz4":     {Method: clickhouse.CompressionLZ4},
	"zstd":    {Method: clickhouse.CompressionZSTD},
	"gzip":    {Method: clickhouse.CompressionGZIP, Level: 3},
	"deflate": {Method: clickhouse.CompressionDeflate, Level: 3},
	"br":      {Method: clickhouse.CompressionBrotli, Level: 3},
}

func withCompression(c *clickhouse.Compression) func(*clickhouse.Options) {
	return func(o *clickhouse.Options) { o.Compression = c }
}

// TestTypes writes and reads every type under every compression.
func TestTypes(t *testing.T) {
	engine := harness.StartEngine(t)
	cases := append(scalarCases(), compositeCases()...)
	for method, compression := range compressions {
		t.Run(method, func(t *testing.T) {
			conn := engine.Open(t, withCompression(compression))
			for i, c := range cases {
				t.Run(c.ddl, func(t *testing.T) {
					table := fmt.Sprintf("types_%s_%d", method, i)
					roundTrip(t, conn, table, c)
					if c.text != nil {
						got := engine.Query(t, "SELECT v FROM "+table+" ORDER BY i FORMAT TabSeparated")
						assert.Equal(t, strings.Join(c.text, "\n"), got, "the engine's own text of the values")
					}
				})
			}
		})
	}
}

// roundTrip creates a table of one column, writes the values in one batch, and
// reads them back into the type that the driver names for the column.
func roundTrip(t *testing.T, conn driver.Conn, table string, c typeCase) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, conn.Exec(ctx, fmt.Sprintf("CREATE TABLE %s (i UInt32, v %s) ENGINE = MergeTree ORDER BY i", table, c.ddl)))
	batch, err := conn.PrepareBatch(ctx, "INSERT INTO "+table+" (i, v)")
	require.NoError(t, err)
	for i, v := range c.values {
		require.NoErrorf(t, batch.Append(uint32(i), v), "append %v", v)
	}
	require.NoError(t, batch.Send())

	rows, err := conn.Query(ctx, "SELECT v FROM "+table+" ORDER BY i")
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	want := c.want
	if want == nil {
		want = c.values
	}
	n := 0
	for ; rows.Next(); n++ {
		require.Less(t, n, len(want), "more rows than were written")
		dest := reflect.New(rows.ColumnTypes()[0].ScanType())
		require.NoError(t, rows.Scan(dest.Interface()))
		got := dest.Elem().Interface()
		if diff := cmp.Diff(plain(want[n]), plain(got), equality); diff != "" {
			t.Errorf("row %d, written (-) and read (+):\n%s", n, clip(diff))
		}
	}
	require.NoError(t, rows.Err())
	assert.Equal(t, len(want), n, "rows read")
}

// plain follows pointers, so that *T and T of the same value are equal and a nil
// pointer is nil.
func plain(v any) any {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return nil
		}
		if _, isInt := r.Interface().(*big.Int); isInt {
			return *r.Interface().(*big.Int)
		}
		r = r.Elem()
	}
	if !r.IsValid() {
		return nil
	}
	return r.Interface()
}

func clip(s string) string {
	if len(s) > 2000 {
		return s[:2000] + "…"
	}
	return s
}

// TestSchemaTypesAreCovered creates the real schema and wants each of its column
// types among the cases above.
func TestSchemaTypesAreCovered(t *testing.T) {
	engine := harness.StartEngine(t)
	conn := engine.Open(t)
	require.NoError(t, schema.Create(t.Context(), schema.Options{}, func(ctx context.Context, sql string) error {
		return conn.Exec(ctx, sql)
	}))
	types := strings.Split(engine.Query(t, "SELECT DISTINCT type FROM system.columns WHERE database = 'trackway' AND default_kind != 'ALIAS' ORDER BY type FORMAT TSVRaw"), "\n")
	require.Greater(t, len(types), 8)
	covered := append(scalarCases(), compositeCases()...)
	for _, name := range types {
		assert.Truef(t, slices.ContainsFunc(covered, func(c typeCase) bool { return c.ddl == name }),
			"column type %s of the schema has no case in cases_test.go", name)
	}
}

// TestNested writes a Nested column as the arrays it is made of and reads it in
// both forms.
func TestNested(t *testing.T) {
	engine := harness.StartEngine(t)
	for method, compression := range compressions {
		t.Run(method, func(t *testing.T) {
			conn := engine.Open(t, withCompression(compression))
			table := "nested_" + method
			require.NoError(t, conn.Exec(t.Context(), "CREATE TABLE "+table+" (i UInt8, e Nested(ts DateTime64(9, 'UTC'), name LowCardinality(String), attributes Map(LowCardinality(String), String))) ENGINE = MergeTree ORDER BY i"))
			times := []time.Time{utc("2026-11-30T12:34:56.123456789Z"), utc("2026-11-30T12:34:57Z")}
			names := []string{"exception", "retry"}
			attributes := []map[string]string{{"a": "b"}, {}}
			batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO "+table)
			require.NoError(t, err)
			require.NoError(t, batch.Append(uint8(1), times, names, attributes))
			require.NoError(t, batch.Append(uint8(2), []time.Time{}, []string{}, []map[string]string{}))
			require.NoError(t, batch.Send())

			var gotTimes []time.Time
			var gotNames []string
			var gotAttributes []map[string]string
			require.NoError(t, conn.QueryRow(t.Context(), "SELECT e.ts, e.name, e.attributes FROM "+table+" WHERE i = 1").Scan(&gotTimes, &gotNames, &gotAttributes))
			assert.Empty(t, cmp.Diff(times, gotTimes, equality))
			assert.Equal(t, names, gotNames)
			assert.Empty(t, cmp.Diff(attributes, gotAttributes, equality))
			assert.Equal(t, "1\t2\n2\t0", engine.Query(t, "SELECT i, length(e.name) FROM "+table+" ORDER BY i"))
		})
	}
}

// TestJSON writes JSON objects and reads whole objects and typed sub-columns.
func TestJSON(t *testing.T) {
	engine := harness.StartEngine(t)
	for method, compression := range compressions {
		t.Run(method, func(t *testing.T) {
			conn := engine.Open(t, withCompression(compression))
			table := "json_" + method
			require.NoError(t, conn.Exec(t.Context(), "CREATE TABLE "+table+" (i UInt8, v JSON(max_dynamic_paths = 16)) ENGINE = MergeTree ORDER BY i"))
			batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO "+table)
			require.NoError(t, err)
			documents := []map[string]any{
				{"name": "paid", "amount": int64(12), "ratio": 0.5, "gift": true, "tags": []string{"a", "b"}, "nested.deep": "x;y"},
				{"name": "zażółć 日本 🚀"},
			}
			for i, d := range documents {
				object := clickhouse.NewJSON()
				for path, value := range d {
					object.SetValueAtPath(path, value)
				}
				require.NoError(t, batch.Append(uint8(i), object))
			}
			require.NoError(t, batch.Send())

			rows, err := conn.Query(t.Context(), "SELECT v FROM "+table+" ORDER BY i")
			require.NoError(t, err)
			defer func() { _ = rows.Close() }()
			for i := 0; rows.Next(); i++ {
				var got clickhouse.JSON
				require.NoError(t, rows.Scan(&got))
				for path, value := range documents[i] {
					stored, ok := got.ValueAtPath(path)
					require.Truef(t, ok, "path %s", path)
					if d, dynamic := stored.(clickhouse.Dynamic); dynamic {
						stored = d.Any()
					}
					assert.Empty(t, cmp.Diff(plain(value), plain(deref(stored)), equality), "path %s", path)
				}
			}
			require.NoError(t, rows.Err())
			assert.Equal(t, "paid\t12\tx;y", engine.Query(t, "SELECT v.name, v.amount, v.nested.deep FROM "+table+" WHERE i = 0"))
		})
	}
}

// deref turns the slices of pointers that Dynamic gives for Array(Nullable(…))
// into slices of values.
func deref(v any) any {
	if strs, ok := v.([]*string); ok {
		out := make([]string, len(strs))
		for i, s := range strs {
			out[i] = *s
		}
		return out
	}
	return v
}

// TestAggregateStates writes states with INSERT … SELECT, merges them through
// the driver, and compares with the aggregate of the rows themselves.
func TestAggregateStates(t *testing.T) {
	engine := harness.StartEngine(t)
	conn := engine.Open(t)
	for _, f := range []struct {
		name, column, arguments string
	}{
		{"uniq", "uniq, UInt64", "n"},
		{"sum", "sum, UInt64", "n"},
		{"avg", "avg, UInt64", "n"},
		{"quantiles(0.5, 0.95, 0.99)", "quantiles(0.5, 0.95, 0.99), UInt64", "n"},
		{"quantilesTDigest(0.5, 0.99)", "quantilesTDigest(0.5, 0.99), Float32", "toFloat32(n)"},
		{"argMax", "argMax, String, UInt64", "toString(n), n"},
		{"groupUniqArray", "groupUniqArray, UInt8", "toUInt8(n % 3)"},
		{"sumMap", "sumMap, Map(UInt16, UInt64)", "map(toUInt16(n % 5), n)"},
		{"topK(2)", "topK(2), String", "toString(n % 2)"},
	} {
		t.Run(f.name, func(t *testing.T) {
			table := "states_" + regexp.MustCompile(`\W`).ReplaceAllString(f.name, "_")
			call := func(combinator, arguments string) string {
				name, parameters, parametric := strings.Cut(f.name, "(")
				if parametric {
					return name + combinator + "(" + parameters + "(" + arguments + ")"
				}
				return name + combinator + "(" + arguments + ")"
			}
			require.NoError(t, conn.Exec(t.Context(), fmt.Sprintf("CREATE TABLE %s (k UInt8, s AggregateFunction(%s)) ENGINE = AggregatingMergeTree ORDER BY k", table, f.column)))
			for part := range 3 { // several parts, so that merging has something to do
				require.NoError(t, conn.Exec(t.Context(), fmt.Sprintf("INSERT INTO %s SELECT n %% 2, %s FROM (SELECT number + %d AS n FROM numbers(500)) GROUP BY n %% 2", table, call("State", f.arguments), part*500)))
			}
			merged := engine.Query(t, fmt.Sprintf("SELECT arraySort([toString(%s)]) FROM %s", call("Merge", "s"), table))
			direct := engine.Query(t, fmt.Sprintf("SELECT arraySort([toString(%s)]) FROM (SELECT number AS n FROM numbers(1500))", call("", f.arguments)))
			if strings.HasPrefix(f.name, "group") || strings.HasPrefix(f.name, "quantiles") {
				// Order of a group, and sampled quantiles, depend on the order of merging.
				assert.NotEmpty(t, merged)
			} else {
				assert.Equal(t, direct, merged)
			}
			rows, err := conn.Query(t.Context(), fmt.Sprintf("SELECT %s FROM %s", call("Merge", "s"), table))
			require.NoError(t, err)
			defer func() { _ = rows.Close() }()
			require.True(t, rows.Next(), "merging gives one row: %v", rows.Err())
			dest := reflect.New(rows.ColumnTypes()[0].ScanType())
			require.NoError(t, rows.Scan(dest.Interface()))
			assert.False(t, dest.Elem().IsZero(), "the merged value reached the driver")
		})
	}
}

// TestParameters passes query parameters of several types the way the driver
// does for HTTP, as param_name in the URL.
func TestParameters(t *testing.T) {
	engine := harness.StartEngine(t)
	conn := engine.Open(t)
	for _, c := range []struct{ kind, value, want string }{
		{"UInt64", "18446744073709551615", "18446744073709551615"},
		{"String", "it's; a \"test\" \\ ü", "it's; a \"test\" \\ ü"},
		{"String", `line\nand\ttab`, "line\nand\ttab"}, // parameters are in "escaped" format
		{"Array(String)", "['a','b']", "['a','b']"},
		{"Float64", "0.1", "0.1"},
		{"DateTime64(3, 'UTC')", "2026-11-30 12:00:00.123", "2026-11-30 12:00:00.123"},
		{"Map(String, UInt8)", "{'k':1}", "{'k':1}"},
		{"Identifier", "number", "number"},
	} {
		t.Run(c.kind, func(t *testing.T) {
			sql := "SELECT toString({v:" + c.kind + "})"
			if c.kind == "Identifier" {
				sql = "SELECT 'number' FROM (SELECT {v:Identifier} FROM numbers(1))"
			}
			var got string
			ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"v": c.value}))
			require.NoError(t, conn.QueryRow(ctx, sql).Scan(&got))
			assert.Equal(t, c.want, got)
		})
	}
	var wrong string
	ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"v": "abc"}))
	err := conn.QueryRow(ctx, "SELECT toString({v:UInt8})").Scan(&wrong)
	var exception *clickhouse.Exception
	require.ErrorAs(t, err, &exception)
	assert.EqualValues(t, 457, exception.Code, "BAD_QUERY_PARAMETER: %v", err)
}
