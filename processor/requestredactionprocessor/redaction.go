package requestredactionprocessor

import (
	"context"
	"strconv"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/keyedhash"
	"github.com/trackwayhq/trackway/processor/requestredactionprocessor/internal/metadata"
)

// redaction is the processor: its rules, which never change, and the passes that
// apply them.
type redaction struct {
	keys        *matcher
	detectors   []activeDetector
	patterns    []pattern
	exceptions  exceptions
	userinfo    *rule // of user and password in URLs
	sqlLiterals *rule // of all literals of SQL; nil when they stay
	unscannable *rule

	shadow, failClosed      bool
	maxValueBytes, maxDepth int

	telemetry *metadata.TelemetryBuilder
	options   []metric.MeasurementOption // of the counter, by rule
	passes    sync.Pool
}

func newRedaction(set processor.Settings, cfg *Config, signal pipeline.Signal) (*redaction, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	r := &redaction{
		shadow: cfg.Shadow, failClosed: cfg.Fail == FailClosed,
		maxValueBytes: cfg.MaxValueBytes, maxDepth: cfg.MaxDepth,
		telemetry: telemetry,
	}
	rules, err := r.compile(cfg)
	if err != nil {
		return nil, err
	}
	for _, rule := range rules {
		r.options = append(r.options, metric.WithAttributeSet(attribute.NewSet(
			attribute.String("rule", rule.name), attribute.String("action", r.does(rule)), attribute.String("otel.signal", signal.String()))))
	}
	r.passes.New = func() any {
		return &pass{r: r, counts: make([]int64, len(rules)), hash: keyedhash.New([]byte(cfg.HashSecret))}
	}
	return r, nil
}

// does gives the action attribute of a rule's counter.
func (r *redaction) does(rule *rule) string {
	switch {
	case r.shadow:
		return "none"
	case rule == r.unscannable && !r.failClosed:
		return "none"
	}
	return string(rule.action)
}

func (r *redaction) begin() *pass { return r.passes.Get().(*pass) }

// end reports what a pass counted and gives it back.
func (r *redaction) end(ctx context.Context, p *pass) {
	for i, n := range p.counts {
		if n > 0 {
			r.telemetry.ProcessorRequestRedactionMaskedValues.Add(ctx, n, r.options[i])
			p.counts[i] = 0
		}
	}
	p.record = 0
	r.passes.Put(p)
}

// mark notes on a record how many of its values were redacted. Values of its
// resource and scope are counted by the metric alone: the mark is of the record.
func (p *pass) mark(attrs pcommon.Map) {
	if p.record > 0 && !p.r.shadow {
		conventions.AddMark(attrs, conventions.MarkRedacted+":"+strconv.Itoa(p.record))
	}
	p.record = 0
}
