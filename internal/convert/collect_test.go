package convert

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/record"
)

// Batch is the records of one delivery, all at once.
type Batch struct {
	Summary
	Records []record.Record
}

// Traces is AppendTraces for tests, which want records.
func (c *Converter) Traces(td ptrace.Traces, src ids.Source, now time.Time) Batch {
	var b Batch
	b.Summary = c.AppendTraces(td, src, now, (*collector)(&b))
	return b
}

// Logs is AppendLogs for tests, which want records.
func (c *Converter) Logs(ld plog.Logs, src ids.Source, now time.Time) Batch {
	var b Batch
	b.Summary = c.AppendLogs(ld, src, now, (*collector)(&b))
	return b
}

type collector Batch

func (*collector) BeginItem(string) {}

func (b *collector) Append(r *record.Record) {
	c := *r
	for _, p := range []*record.Pairs{&c.Attributes, &c.Resource, &c.Correlation, &c.RequestHeaders, &c.ResponseHeaders} {
		*p = slices.Clone(*p)
	}
	c.FacetItems = slices.Clone(c.FacetItems)
	b.Records = append(b.Records, c)
}
