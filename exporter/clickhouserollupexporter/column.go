package clickhouserollupexporter

import (
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/trackwayhq/trackway/internal/record"
)

// column is one column of a block: a reused buffer, and how a record's value
// gets into it.
type column struct {
	name string
	data interface {
		proto.ColInput
		Reset()
	}
	append func(*record.Record)
}

func lowCardColumn(name string, get func(*record.Record) string) column {
	c := new(proto.ColStr).LowCardinality()
	return column{name, c, func(r *record.Record) { c.Append(get(r)) }}
}

func stringColumn(name string, get func(*record.Record) string) column {
	c := new(proto.ColStr)
	return column{name, c, func(r *record.Record) { c.Append(get(r)) }}
}

func uint8Column(name string, get func(*record.Record) uint8) column {
	c := new(proto.ColUInt8)
	return column{name, c, func(r *record.Record) { c.Append(get(r)) }}
}

func uint16Column(name string, get func(*record.Record) uint16) column {
	c := new(proto.ColUInt16)
	return column{name, c, func(r *record.Record) { c.Append(get(r)) }}
}

func uint32Column(name string, get func(*record.Record) uint32) column {
	c := new(proto.ColUInt32)
	return column{name, c, func(r *record.Record) { c.Append(get(r)) }}
}

func uint64Column(name string, get func(*record.Record) uint64) column {
	c := new(proto.ColUInt64)
	return column{name, c, func(r *record.Record) { c.Append(get(r)) }}
}

func timeColumn(name string) column {
	c := new(proto.ColDateTime64).WithPrecision(proto.PrecisionNano).WithLocation(time.UTC)
	return column{name, c, func(r *record.Record) { c.AppendRaw(proto.DateTime64(r.Time.UnixNano())) }}
}

func traceIDColumn(name string) column {
	c := new(proto.ColFixedStr16)
	return column{name, c, func(r *record.Record) { c.Append(r.TraceID) }}
}

func spanIDColumn(name string, get func(*record.Record) [8]byte) column {
	c := new(proto.ColFixedStr8)
	return column{name, c, func(r *record.Record) { c.Append(get(r)) }}
}

// mapColumn is a Map(LowCardinality(String), String).
func mapColumn(name string, get func(*record.Record) record.Pairs) column {
	keys, values := new(proto.ColStr).LowCardinality(), new(proto.ColStr)
	c := proto.NewMap[string, string](keys, values)
	return column{name, c, func(r *record.Record) {
		for _, kv := range get(r) {
			keys.Append(kv.Key)
			values.Append(kv.Value)
		}
		c.Offsets.Append(uint64(keys.Rows()))
	}}
}

// itemsColumn is an Array(LowCardinality(String)).
func itemsColumn(name string, get func(*record.Record) []string) column {
	items := new(proto.ColStr).LowCardinality()
	c := proto.NewArray[string](items)
	return column{name, c, func(r *record.Record) {
		items.AppendArr(get(r))
		c.Offsets.Append(uint64(items.Rows()))
	}}
}
