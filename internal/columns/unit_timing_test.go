package columns

import (
	"os"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// deliveries gives the encodings of n deliveries of 500 requests, from as many
// senders, whose times overlap.
func deliveries(n int) (out [][]byte) {
	g := newTraffic(1)
	now := time.Now()
	for i := range n {
		var b Batch
		out = append(out, g.batch(&b, 500, now.Add(time.Duration(i)*time.Millisecond)).AppendTo(nil))
	}
	return out
}

// perRow runs f, which handles so many rows, and reports the processor's time by row:
// on a busy machine the clock says nothing.
func perRow(b *testing.B, rows int, f func()) {
	b.ReportAllocs()
	f()
	before := processorTime(b, os.Getpid())
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64((processorTime(b, os.Getpid())-before).Nanoseconds())/float64(b.N)/float64(rows), "cpu-ns/row")
}

func BenchmarkAppend(b *testing.B) {
	g := newTraffic(1)
	records := make([]record.Record, 500)
	now := time.Now()
	for i := range records {
		records[i] = *g.next(now)
		records[i].Attributes = append(record.Pairs{}, records[i].Attributes...)
		records[i].Correlation = append(record.Pairs{}, records[i].Correlation...)
		records[i].FacetItems = append([]string{}, records[i].FacetItems...)
	}
	var batch Batch
	perRow(b, len(records), func() {
		batch.Reset()
		for i := range records {
			batch.BeginItem("default")
			batch.Append(&records[i])
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	var batch Batch
	newTraffic(1).batch(&batch, 500, time.Now())
	var buf []byte
	perRow(b, 500, func() { buf = batch.AppendTo(buf[:0]) })
	b.ReportMetric(float64(len(buf))/500, "B/row")
}

func BenchmarkDecode(b *testing.B) {
	data := deliveries(1)[0]
	perRow(b, 500, func() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkUnit makes the INSERTs of a unit of 25,000 requests.
func BenchmarkUnit(b *testing.B) {
	const n = 50
	var parts []*Part
	for _, data := range deliveries(n) {
		batch, err := Decode(data)
		if err != nil {
			b.Fatal(err)
		}
		parts = append(parts, batch.Parts()...)
	}
	var e Encoder
	perRow(b, n*500, func() {
		if _, err := e.Unit(1, parts); err != nil {
			b.Fatal(err)
		}
	})
}
