package requestredactionprocessor

import (
	"context"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/processor/requestredactionprocessor/internal/metadata"
)

type redaction struct {
	keys      *matcher
	telemetry *metadata.TelemetryBuilder
	signal    metric.MeasurementOption
}

func newRedaction(set processor.Settings, cfg *Config, signal pipeline.Signal) (*redaction, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &redaction{
		keys:      newMatcher(cfg),
		telemetry: telemetry,
		signal:    metric.WithAttributeSet(attribute.NewSet(attribute.String("otel.signal", signal.String()))),
	}, nil
}

func (r *redaction) count(ctx context.Context, n int) {
	if n > 0 {
		r.telemetry.ProcessorRequestRedactionMaskedValues.Add(ctx, int64(n), r.signal)
	}
}

// mark notes on a record how many of its values were masked. Values of its
// resource and scope are counted by the metric alone: the mark is of the record.
func mark(attrs pcommon.Map, n int) {
	if n > 0 {
		conventions.AddMark(attrs, conventions.MarkRedacted+":"+strconv.Itoa(n))
	}
}

func (r *redaction) traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	total := 0
	for _, rs := range td.ResourceSpans().All() {
		total += r.attributes(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			total += r.attributes(ss.Scope().Attributes())
			for _, s := range ss.Spans().All() {
				n := r.attributes(s.Attributes())
				for _, e := range s.Events().All() {
					n += r.attributes(e.Attributes())
				}
				for _, l := range s.Links().All() {
					n += r.attributes(l.Attributes())
				}
				mark(s.Attributes(), n)
				total += n
			}
		}
	}
	r.count(ctx, total)
	return td, nil
}

func (r *redaction) logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	total := 0
	for _, rl := range ld.ResourceLogs().All() {
		total += r.attributes(rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			total += r.attributes(sl.Scope().Attributes())
			for _, l := range sl.LogRecords().All() {
				n := r.attributes(l.Attributes()) + r.body(l.Body())
				mark(l.Attributes(), n)
				total += n
			}
		}
	}
	r.count(ctx, total)
	return ld, nil
}

// body masks inside a log record's body: a structured one, or text that is JSON.
// Prose is left alone, though it may contain an equals sign.
func (r *redaction) body(v pcommon.Value) int {
	if v.Type() != pcommon.ValueTypeStr {
		return r.nested(v)
	}
	if s := strings.TrimLeft(v.Str(), " \t\r\n"); strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
		return r.text(v)
	}
	return 0
}

func (r *redaction) metrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	total := 0
	for _, rm := range md.ResourceMetrics().All() {
		total += r.attributes(rm.Resource().Attributes())
		for _, sm := range rm.ScopeMetrics().All() {
			total += r.attributes(sm.Scope().Attributes())
			for _, m := range sm.Metrics().All() {
				total += r.dataPoints(m)
			}
		}
	}
	r.count(ctx, total)
	return md, nil
}

func (r *redaction) dataPoints(m pmetric.Metric) int {
	n := 0
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			n += r.attributes(p.Attributes()) + r.exemplars(p.Exemplars())
		}
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			n += r.attributes(p.Attributes()) + r.exemplars(p.Exemplars())
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			n += r.attributes(p.Attributes()) + r.exemplars(p.Exemplars())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			n += r.attributes(p.Attributes()) + r.exemplars(p.Exemplars())
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			n += r.attributes(p.Attributes())
		}
	}
	return n
}

func (r *redaction) exemplars(s pmetric.ExemplarSlice) int {
	n := 0
	for _, e := range s.All() {
		n += r.attributes(e.FilteredAttributes())
	}
	return n
}
