package convert

import (
	"slices"
	"time"
	"unsafe"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/record"
)

// Batch is the records of one delivery, all at once.
type Batch struct {
	Summary
	Records []record.Record
	// Bytes estimates what the records hold in memory.
	Bytes int
}

// Traces is AppendTraces for those who want records.
func (c *Converter) Traces(td ptrace.Traces, src ids.Source, now time.Time) Batch {
	var b Batch
	b.Summary = c.AppendTraces(td, src, now, (*collector)(&b))
	return b
}

// Logs is AppendLogs for those who want records.
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
		for _, kv := range *p {
			b.Bytes += len(kv.Value)
		}
	}
	c.FacetItems = slices.Clone(c.FacetItems)
	b.Bytes += int(unsafe.Sizeof(c)) + len(c.Path) + len(c.Message) + len(c.ErrorMessage) + len(c.ErrorStack) + len(c.Links) +
		len(c.RequestBody) + len(c.ResponseBody)
	b.Records = append(b.Records, c)
}
