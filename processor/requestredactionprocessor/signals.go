package requestredactionprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// traces redacts everything of a span but its trace state, which is the tracing
// systems' own.
func (r *redaction) traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	p := r.begin()
	defer r.end(ctx, p)
	for _, rs := range td.ResourceSpans().All() {
		p.attributes(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			p.attributes(ss.Scope().Attributes())
			p.record = 0
			for _, s := range ss.Spans().All() {
				p.span(s)
			}
		}
	}
	return td, nil
}

func (p *pass) span(s ptrace.Span) {
	p.attributes(s.Attributes())
	p.name(s.Name(), s.SetName)
	p.name(s.Status().Message(), s.Status().SetMessage)
	for _, e := range s.Events().All() {
		p.name(e.Name(), e.SetName)
		p.attributes(e.Attributes())
	}
	for _, l := range s.Links().All() {
		p.attributes(l.Attributes())
	}
	p.mark(s.Attributes())
}

func (r *redaction) logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	p := r.begin()
	defer r.end(ctx, p)
	for _, rl := range ld.ResourceLogs().All() {
		p.attributes(rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			p.attributes(sl.Scope().Attributes())
			p.record = 0
			for _, l := range sl.LogRecords().All() {
				p.attributes(l.Attributes())
				p.name(l.EventName(), l.SetEventName)
				if p.value(decision{}, l.Body(), 0) && !r.shadow {
					plog.NewLogRecord().Body().CopyTo(l.Body())
				}
				p.mark(l.Attributes())
			}
		}
	}
	return ld, nil
}

func (r *redaction) metrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	p := r.begin()
	defer r.end(ctx, p)
	for _, rm := range md.ResourceMetrics().All() {
		p.attributes(rm.Resource().Attributes())
		for _, sm := range rm.ScopeMetrics().All() {
			p.attributes(sm.Scope().Attributes())
			for _, m := range sm.Metrics().All() {
				p.attributes(m.Metadata())
				p.dataPoints(m)
			}
		}
	}
	return md, nil
}

func (p *pass) dataPoints(m pmetric.Metric) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		p.numbers(m.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		p.numbers(m.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		for _, d := range m.Histogram().DataPoints().All() {
			p.attributes(d.Attributes())
			p.exemplars(d.Exemplars())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, d := range m.ExponentialHistogram().DataPoints().All() {
			p.attributes(d.Attributes())
			p.exemplars(d.Exemplars())
		}
	case pmetric.MetricTypeSummary:
		for _, d := range m.Summary().DataPoints().All() {
			p.attributes(d.Attributes())
		}
	}
}

func (p *pass) numbers(s pmetric.NumberDataPointSlice) {
	for _, d := range s.All() {
		p.attributes(d.Attributes())
		p.exemplars(d.Exemplars())
	}
}

func (p *pass) exemplars(s pmetric.ExemplarSlice) {
	for _, e := range s.All() {
		p.attributes(e.FilteredAttributes())
	}
}
