package clickhousego_test

import (
	"math"
	"math/big"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/paulmach/orb"
	"github.com/shopspring/decimal"
)

// typeCase is one column type with the values that are written to it.
type typeCase struct {
	ddl    string
	values []any
	// want is what reading gives, where the driver's type for reading differs
	// from the one written; values otherwise.
	want []any
	// text is each value in TabSeparated, so that a mistake made the same way in
	// writing and in reading is seen too. Optional.
	text []string
}

func p[T any](v T) *T { return &v }

func utc(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

func integer(s string) *big.Int {
	i, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return i
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

// nasty are strings that break naive framing or escaping.
var nasty = []any{"", "plain", "tab\tnewline\nbackslash\\quote'", "semi;colon; SELECT 1", "zażółć 日本 🚀", "\x00\x01\xff\xfe", strings.Repeat("x", 70_000)}

// scalarCases are the types without parts.
func scalarCases() []typeCase {
	const maxInt256 = "57896044618658097711785492504343953926634992332820282019728792003956564819967"
	return []typeCase{
		{ddl: "UInt8", values: []any{uint8(0), uint8(255)}, text: []string{"0", "255"}},
		{ddl: "UInt16", values: []any{uint16(0), uint16(math.MaxUint16)}, text: []string{"0", "65535"}},
		{ddl: "UInt32", values: []any{uint32(0), uint32(math.MaxUint32)}, text: []string{"0", "4294967295"}},
		{ddl: "UInt64", values: []any{uint64(0), uint64(math.MaxUint64)}, text: []string{"0", "18446744073709551615"}},
		{ddl: "Int8", values: []any{int8(-128), int8(127)}, text: []string{"-128", "127"}},
		{ddl: "Int16", values: []any{int16(math.MinInt16), int16(math.MaxInt16)}},
		{ddl: "Int32", values: []any{int32(math.MinInt32), int32(math.MaxInt32)}},
		{ddl: "Int64", values: []any{int64(math.MinInt64), int64(math.MaxInt64)}, text: []string{"-9223372036854775808", "9223372036854775807"}},
		{ddl: "Int128", values: []any{integer("-170141183460469231731687303715884105728"), integer("1")}, text: []string{"-170141183460469231731687303715884105728", "1"}},
		{ddl: "UInt128", values: []any{integer("340282366920938463463374607431768211455")}, text: []string{"340282366920938463463374607431768211455"}},
		{ddl: "Int256", values: []any{integer("-" + maxInt256), integer(maxInt256)}, text: []string{"-" + maxInt256, maxInt256}},
		{ddl: "UInt256", values: []any{integer(maxInt256), integer("0")}, text: []string{maxInt256, "0"}},
		{ddl: "Float32", values: []any{float32(0), float32(-1.5), float32(math.MaxFloat32), float32(math.Inf(1)), float32(math.NaN())}, text: []string{"0", "-1.5", "3.4028235e38", "inf", "nan"}},
		{ddl: "Float64", values: []any{0.1, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(-1), math.NaN()}},
		{ddl: "Bool", values: []any{true, false}, text: []string{"true", "false"}},
		{ddl: "String", values: nasty},
		{ddl: "FixedString(8)", values: []any{"12345678", "\x00\x01\x02\x03\x04\x05\x06\xff"}},
		{ddl: "FixedString(16)", values: []any{"0123456789abcdef", strings.Repeat("\xff", 16)}},
		{ddl: "UUID", values: []any{uuid.MustParse("61f0c404-5cb3-11e7-907b-a6006ad3dba0"), uuid.Nil}, text: []string{"61f0c404-5cb3-11e7-907b-a6006ad3dba0", uuid.Nil.String()}},
		{ddl: "IPv4", values: []any{netip.MustParseAddr("192.0.2.33"), netip.MustParseAddr("255.255.255.255")}, want: []any{net.ParseIP("192.0.2.33"), net.ParseIP("255.255.255.255")}, text: []string{"192.0.2.33", "255.255.255.255"}},
		{ddl: "IPv6", values: []any{netip.MustParseAddr("2001:db8::ff00:42:8329"), netip.MustParseAddr("::1")}, want: []any{net.ParseIP("2001:db8::ff00:42:8329"), net.ParseIP("::1")}, text: []string{"2001:db8::ff00:42:8329", "::1"}},
		{ddl: "Enum8('created' = 1, 'paid' = 2, 'lost' = -3)", values: []any{"paid", "lost"}, text: []string{"paid", "lost"}},
		{ddl: "Enum16('a' = 1000, 'b' = -1000)", values: []any{"a", "b"}, text: []string{"a", "b"}},
		{ddl: "Date", values: []any{utc("2026-11-30T00:00:00Z"), utc("1970-01-02T00:00:00Z")}, text: []string{"2026-11-30", "1970-01-02"}},
		{ddl: "Date32", values: []any{utc("1900-01-01T00:00:00Z"), utc("2299-12-31T00:00:00Z")}, text: []string{"1900-01-01", "2299-12-31"}},
		{ddl: "DateTime", values: []any{utc("2026-11-30T12:34:56Z"), utc("2106-02-07T06:28:15Z")}, text: []string{"2026-11-30 12:34:56", "2106-02-07 06:28:15"}},
		{ddl: "DateTime('UTC')", values: []any{utc("2026-11-30T12:34:56Z")}, text: []string{"2026-11-30 12:34:56"}},
		{ddl: "DateTime('Europe/Berlin')", values: []any{utc("2026-11-30T12:34:56Z")}, text: []string{"2026-11-30 13:34:56"}},
		{ddl: "DateTime64(3, 'UTC')", values: []any{utc("2026-11-30T12:34:56.789Z"), utc("1925-01-01T00:00:00.001Z")}, text: []string{"2026-11-30 12:34:56.789", "1925-01-01 00:00:00.001"}},
		{ddl: "DateTime64(9, 'UTC')", values: []any{utc("2026-11-30T12:34:56.123456789Z"), utc("1970-01-01T00:00:00.000000001Z")}, text: []string{"2026-11-30 12:34:56.123456789", "1970-01-01 00:00:00.000000001"}},
		{ddl: "DateTime64(6, 'America/New_York')", values: []any{utc("2026-11-30T12:34:56.123456Z")}, text: []string{"2026-11-30 07:34:56.123456"}},
		{ddl: "Decimal(9, 4)", values: []any{dec("12345.6789"), dec("-0.0001")}, text: []string{"12345.6789", "-0.0001"}},
		{ddl: "Decimal(18, 5)", values: []any{dec("1234567890123.45678")}, text: []string{"1234567890123.45678"}},
		{ddl: "Decimal(38, 10)", values: []any{dec("-1234567890123456789012345678.0123456789")}, text: []string{"-1234567890123456789012345678.0123456789"}},
		{ddl: "Decimal(76, 20)", values: []any{dec("12345678901234567890123456789012345678901234567890123456.00000000000000000001")}},
	}
}

// compositeCases are the types made of other types.
func compositeCases() []typeCase {
	return []typeCase{
		{ddl: "Nullable(Int64)", values: []any{p(int64(-5)), (*int64)(nil)}, text: []string{"-5", `\N`}},
		{ddl: "Nullable(String)", values: []any{p(""), (*string)(nil), p("x")}, text: []string{"", `\N`, "x"}},
		{ddl: "Nullable(DateTime64(9, 'UTC'))", values: []any{p(utc("2026-11-30T12:34:56.123456789Z")), (*time.Time)(nil)}},
		{ddl: "Nullable(Decimal(18, 2))", values: []any{p(dec("10.25")), (*decimal.Decimal)(nil)}},
		{ddl: "LowCardinality(String)", values: nasty},
		{ddl: "LowCardinality(Nullable(String))", values: []any{p("a"), (*string)(nil), p("a"), p("")}, text: []string{"a", `\N`, "a", ""}},
		{ddl: "LowCardinality(FixedString(4))", values: []any{"abcd", "wxyz", "abcd"}},
		{ddl: "Array(UInt32)", values: []any{[]uint32{1, 2, 3}, []uint32{}}, text: []string{"[1,2,3]", "[]"}},
		{ddl: "Array(String)", values: []any{[]string{"a", "", "tab\t'quote'"}, []string{}}},
		{ddl: "Array(Nullable(Int32))", values: []any{[]*int32{p(int32(1)), nil, p(int32(3))}}, text: []string{"[1,NULL,3]"}},
		{ddl: "Array(Array(Float64))", values: []any{[][]float64{{1.5}, {}, {2.5, 3.5}}}, text: []string{"[[1.5],[],[2.5,3.5]]"}},
		{ddl: "Array(LowCardinality(String))", values: []any{[]string{"plan=pro", "region=eu", "plan=pro"}, []string{}}, text: []string{"['plan=pro','region=eu','plan=pro']", "[]"}},
		{ddl: "Array(DateTime64(9, 'UTC'))", values: []any{[]time.Time{utc("2026-11-30T12:34:56.123456789Z")}}},
		{ddl: "Map(String, UInt64)", values: []any{map[string]uint64{"a": 1}, map[string]uint64{}}, text: []string{"{'a':1}", "{}"}},
		{ddl: "Map(LowCardinality(String), String)", values: []any{map[string]string{"http.method": "GET", "empty": "", "ü": "日本\t;"}, map[string]string{}}},
		{ddl: "Map(LowCardinality(String), Int64)", values: []any{map[string]int64{"accepted": 1 << 40, "stored": -1}, map[string]int64{}}},
		{ddl: "Map(String, Array(UInt8))", values: []any{map[string][]uint8{"k": {1, 2}}}, text: []string{"{'k':[1,2]}"}},
		{ddl: "Map(LowCardinality(String), Map(String, Nullable(Int64)))", values: []any{map[string]map[string]*int64{"o": {"i": p(int64(7)), "n": nil}}}},
		{ddl: "Tuple(UInt8, String, Nullable(Float64))", values: []any{[]any{uint8(1), "x", p(2.5)}}, text: []string{"(1,'x',2.5)"}},
		{ddl: "Tuple(id UInt64, tags Array(String))", values: []any{map[string]any{"id": uint64(9), "tags": []string{"a", "b"}}}, text: []string{"(9,['a','b'])"}},
		{ddl: "Array(Tuple(String, String))", values: []any{[][]any{{"k", "v"}, {"", ""}}}, text: []string{"[('k','v'),('','')]"}},
		{ddl: "SimpleAggregateFunction(sum, UInt64)", values: []any{uint64(math.MaxUint64)}, text: []string{"18446744073709551615"}},
		{ddl: "SimpleAggregateFunction(max, UInt16)", values: []any{uint16(400)}, text: []string{"400"}},
		{ddl: "Point", values: []any{orb.Point{1.5, -2.5}}, text: []string{"(1.5,-2.5)"}},
	}
}
