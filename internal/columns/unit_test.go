package columns

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/internal/schema"
)

// declared gives the columns of a table, name and type, as the DDL has them, but for
// those that nobody inserts.
func declared(t *testing.T, table string) (columns [][2]string) {
	t.Helper()
	stmts, err := schema.Statements(schema.Options{})
	require.NoError(t, err)
	for _, s := range stmts {
		if s.Name != table {
			continue
		}
		for line := range strings.Lines(s.SQL) {
			line, ok := strings.CutPrefix(line, "  ")
			if !ok || strings.HasPrefix(line, "INDEX") || strings.Contains(line, " ALIAS ") || strings.HasPrefix(line, "rollup_ttl_days") {
				continue
			}
			line, _, _ = strings.Cut(line, " CODEC")
			line, _, _ = strings.Cut(line, " DEFAULT")
			name, typ, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), ","), " ")
			columns = append(columns, [2]string{name, typ})
		}
	}
	require.NotEmpty(t, columns, table)
	return columns
}

// readerFor gives a column of an independent decoder.
func readerFor(t *testing.T, typ string) proto.ColResult {
	t.Helper()
	switch typ {
	case typeLowCard:
		return new(proto.ColStr).LowCardinality()
	case typeMap:
		return proto.NewMap[string, string](new(proto.ColStr).LowCardinality(), new(proto.ColStr))
	case typeList:
		return proto.NewArray[string](new(proto.ColStr).LowCardinality())
	}
	auto := &proto.ColAuto{}
	require.NoError(t, auto.Infer(proto.ColumnType(typ)))
	return auto.Data.(proto.ColResult)
}

// rowsOf reads a Native block with an independent decoder: by row, by column.
func rowsOf(t *testing.T, ins Insert) []map[string]any {
	t.Helper()
	r := proto.NewReader(bytes.NewReader(ins.Body))
	var block proto.Block
	var results proto.Results
	for _, c := range declared(t, ins.Table) {
		results = append(results, proto.ResultColumn{Name: c[0], Data: readerFor(t, c[1])})
	}
	require.NoError(t, block.DecodeRawBlock(r, 0, results))
	_, err := r.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, ins.Rows, block.Rows)
	out := make([]map[string]any, block.Rows)
	var names []string
	for i := range out {
		out[i] = map[string]any{}
	}
	for _, col := range results {
		names = append(names, col.Name)
		for i := range out {
			out[i][col.Name] = valueOf(t, col.Data, i)
		}
	}
	require.Equal(t, ins.Columns, strings.Join(names, ", "))
	return out
}

func valueOf(t *testing.T, data any, i int) any {
	switch c := data.(type) {
	case proto.ColumnOf[string]:
		return c.Row(i)
	case proto.ColumnOf[[]string]:
		return c.Row(i)
	case *proto.ColMap[string, string]:
		return c.RowKV(i)
	case *proto.ColDateTime64:
		return c.Row(i).UnixNano()
	case *proto.ColDateTime:
		return c.Row(i).Unix()
	case *proto.ColFixedStr8:
		return c.Row(i)
	case *proto.ColFixedStr16:
		return c.Row(i)
	case *proto.ColUInt64:
		return c.Row(i)
	case *proto.ColUInt32:
		return c.Row(i)
	case *proto.ColUInt16:
		return c.Row(i)
	case *proto.ColUInt8:
		return c.Row(i)
	case *proto.ColFloat32:
		return c.Row(i)
	}
	t.Fatalf("no reader for %T", data)
	return nil
}

func kvs(p record.Pairs) []proto.KV[string, string] {
	out := make([]proto.KV[string, string], 0, len(p))
	for _, kv := range p {
		out = append(out, proto.KV[string, string]{Key: kv.Key, Value: kv.Value})
	}
	return out
}

// rowOf is what a record's row must be.
func rowOf(r *record.Record, unit uint64) map[string]any {
	row := map[string]any{
		"project": r.Project, "ts": r.Time.UnixNano(), "rid": r.RID, "service": r.Service, "env": r.Env, "release": r.Release,
		"instance": r.Instance, "name": r.Name, "trace_id": r.TraceID, "span_id": r.SpanID, "flags": r.Flags,
		"error_type": r.ErrorType, "error_message": r.ErrorMessage, "error_stack": r.ErrorStack, "error_group": r.ErrorGroup,
		"attributes": kvs(r.Attributes), "resource": kvs(r.Resource), "correlation": kvs(r.Correlation),
		"facet_items": r.FacetItems, "scope_name": r.ScopeName, "scope_version": r.ScopeVersion, "marks": r.Marks,
		"weight": r.Weight, "ttl_days": r.TTLDays, "unit": unit,
	}
	if r.Kind == record.Event {
		row["severity"], row["message"] = r.Severity, r.Message
		return row
	}
	for k, v := range map[string]any{
		"kind": r.SpanKind, "status": r.Status, "span_status": r.SpanStatus, "duration": r.Duration, "parent_span_id": r.ParentSpanID,
		"trace_state": r.TraceState, "request_id": r.RequestID, "user_agent": r.UserAgent, "client_ip": r.ClientIP,
		"request_bytes": r.RequestBytes, "response_bytes": r.ResponseBytes, "links": r.Links,
	} {
		row[k] = v
	}
	if r.Kind == record.Request {
		row["method"], row["route"], row["path"] = r.Method, r.Route, r.Path
		row["request_headers"], row["response_headers"] = kvs(r.RequestHeaders), kvs(r.ResponseHeaders)
		row["request_body"], row["response_body"] = r.RequestBody, r.ResponseBody
	}
	return row
}

// unitOf gives parts of several batches and halves, and their records in the order
// of the tables' key.
func unitOf(t *testing.T, seed uint64, sizes ...int) (parts []*Part, want []record.Record) {
	t.Helper()
	s := newSampler(seed)
	for _, size := range sizes {
		b, records := s.batch(size, 1)
		want = append(want, records[0]...)
		first, second := b.Parts()[0].Halves()
		parts = append(parts, first)
		if second != nil {
			parts = append(parts, second)
		}
	}
	slices.SortStableFunc(want, func(a, b record.Record) int {
		return sortKeyOf(&a).compare(sortKeyOf(&b))
	})
	return parts, want
}

func sortKeyOf(r *record.Record) sortKey {
	rank := uint32(0)
	if r.Project != "" {
		rank = 1 + uint32(r.Project[len(r.Project)-1])
	}
	return sortKey{project: rank, ts: r.Time.UnixNano()}
}

func TestUnitHoldsEveryRow(t *testing.T) {
	var e Encoder
	for _, sizes := range [][]int{{1}, {3, 200}, {50, 1, 70}} {
		parts, want := unitOf(t, 7, sizes...)
		inserts, err := e.Unit(42, parts)
		require.NoError(t, err)
		rows := 0
		for _, ins := range inserts {
			kind := map[string]record.Kind{"requests": record.Request, "spans": record.Span, "events": record.Event}[ins.Table]
			if kind == 0 {
				continue
			}
			assert.Equal(t, "000000000000002a-"+ins.Table, ins.Token)
			got := rowsOf(t, ins)
			i := 0
			for r := range want {
				if want[r].Kind != kind {
					continue
				}
				expected := rowOf(&want[r], 42)
				for k, v := range expected {
					if s, ok := v.([]string); ok && len(s) == 0 {
						expected[k] = []string(nil)
					}
				}
				if s, ok := got[i]["facet_items"].([]string); ok && len(s) == 0 {
					got[i]["facet_items"] = []string(nil)
				}
				require.Equal(t, expected, got[i], "%s, row %d", ins.Table, i)
				i++
			}
			require.Len(t, got, i)
			rows += i
		}
		require.Equal(t, len(want), rows)
	}
}

func TestUnitIsDeterministic(t *testing.T) {
	parts, _ := unitOf(t, 8, 40, 40)
	bodies := func(e *Encoder) (out [][]byte) {
		inserts, err := e.Unit(1, parts)
		require.NoError(t, err)
		for _, ins := range inserts {
			out = append(out, slices.Clone(ins.Body))
		}
		return out
	}
	var used Encoder
	_, err := used.Unit(2, parts[2:])
	require.NoError(t, err)
	assert.Equal(t, bodies(&Encoder{}), bodies(&used))
}

func TestUnitRefusesMixedWindows(t *testing.T) {
	b, _ := newSampler(9).batch(20, 2)
	_, err := new(Encoder).Unit(1, b.Parts())
	require.ErrorContains(t, err, "unit 0000000000000001: parts of different windows")
}
