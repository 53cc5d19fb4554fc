package clickhouserollupexporter

import (
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/convert"
	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/internal/schema"
)

// TestColumnsAreThoseOfTheSchema compares names, order and types with the DDL.
func TestColumnsAreThoseOfTheSchema(t *testing.T) {
	stmts, err := schema.Statements(schema.Options{})
	require.NoError(t, err)
	for tab := range tableCount {
		var want []string
		for _, s := range stmts {
			if s.Name != tab.String() {
				continue
			}
			for line := range strings.Lines(s.SQL) {
				line, ok := strings.CutPrefix(line, "  ")
				if !ok || strings.HasPrefix(line, "INDEX") || strings.Contains(line, " ALIAS ") || strings.HasPrefix(line, "rollup_ttl_days") {
					continue
				}
				line, _, _ = strings.Cut(line, " CODEC")
				line, _, _ = strings.Cut(line, " DEFAULT")
				want = append(want, strings.TrimSuffix(strings.TrimSpace(line), ","))
			}
		}
		var got []string
		for _, c := range newBlock(tab).columns {
			got = append(got, c.name+" "+c.data.Type().String())
		}
		assert.Equal(t, want, got, tab.String())
	}
}

func TestCodeIn(t *testing.T) {
	assert.Equal(t, 60, codeIn("Code: 60. DB::Exception: Unknown table"))
	assert.Zero(t, codeIn("1"))
	assert.Zero(t, codeIn("Code: x Exception"))
	assert.Zero(t, codeIn(""))
}

func TestHasTextIndex(t *testing.T) {
	for release, want := range map[string]bool{
		"26.7.2.1": true, "26.2.1.1": true, "27.1.1.1": true, "26.1.3.2": false, "25.12.1.1": false, "": false, "x.y": false, "26": false,
	} {
		assert.Equal(t, want, hasTextIndex(release), release)
	}
}

func BenchmarkEncode(b *testing.B) {
	const rows = 5000
	td := requestTraces(rows, time.Now())
	src, release := ids.NewGenerator().For("", ids.Traces)
	defer release()
	batch := convert.New(convert.Options{TTLDays: 30}).Traces(td, src, time.Now())
	var requests []*record.Record
	for i := range batch.Records {
		if batch.Records[i].Kind == record.Request {
			requests = append(requests, &batch.Records[i])
		}
	}
	bl := newBlock(tableRequests)
	var buf proto.Buffer
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		if err := bl.encode(&buf, requests); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(requests)), "ns/row")
	b.ReportMetric(float64(len(buf.Buf))/float64(len(requests)), "B/row")
}
