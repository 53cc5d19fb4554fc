package projectprocessor

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/ledger"
)

// start finds the ledger.
func (p *project) start(_ context.Context, host component.Host) error {
	if p.cfg.Ledger == nil {
		return nil
	}
	found, ok := host.GetExtensions()[*p.cfg.Ledger]
	if !ok {
		return fmt.Errorf("ledger: extension %s is not there: add it to service::extensions", p.cfg.Ledger)
	}
	if p.ledger, ok = found.(ledger.Ledger); !ok {
		return fmt.Errorf("ledger: extension %s is no ledger", p.cfg.Ledger)
	}
	return nil
}

// receive counts items of the project in the ledger, if there is one.
func (p *project) receive(ctx context.Context, id string, items int) (context.Context, func(error)) {
	if p.ledger == nil || items == 0 {
		return ctx, func(error) {}
	}
	return p.ledger.Receive(ctx, id, items)
}

// countedTraces is what comes after the processor, with the ledger told what
// became of the spans.
type countedTraces struct {
	consumer.Traces
	p *project
}

// ConsumeTraces takes spans that are of one project by now.
func (c countedTraces) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if td.ResourceSpans().Len() == 0 {
		return c.Traces.ConsumeTraces(ctx, td)
	}
	ctx, settle := c.p.receive(ctx, decided(td.ResourceSpans().At(0).Resource()), td.SpanCount())
	err := c.Traces.ConsumeTraces(ctx, td)
	settle(err)
	return err
}

// countedLogs is countedTraces for log records.
type countedLogs struct {
	consumer.Logs
	p *project
}

// ConsumeLogs takes log records that are of one project by now.
func (c countedLogs) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if ld.ResourceLogs().Len() == 0 {
		return c.Logs.ConsumeLogs(ctx, ld)
	}
	ctx, settle := c.p.receive(ctx, decided(ld.ResourceLogs().At(0).Resource()), ld.LogRecordCount())
	err := c.Logs.ConsumeLogs(ctx, ld)
	settle(err)
	return err
}

// decided is the project that the processor wrote.
func decided(r pcommon.Resource) string {
	id, _ := r.Attributes().Get(conventions.Project)
	return id.Str()
}
