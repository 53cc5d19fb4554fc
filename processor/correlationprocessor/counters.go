package correlationprocessor

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/trackwayhq/trackway/processor/correlationprocessor/internal/metadata"
)

// counts are those of one batch, added to the instruments at its end.
type counts struct {
	refused [numReasons]int64
	carried int64
}

// counters are the component's instruments with the sets of their attributes made.
type counters struct {
	telemetry *metadata.TelemetryBuilder
	refused   [numReasons]metric.MeasurementOption
	forgot    [numForgot]metric.MeasurementOption
}

func newCounters(telemetry *metadata.TelemetryBuilder) *counters {
	c := &counters{telemetry: telemetry}
	reason := func(name string) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", name)))
	}
	for i, name := range reasonNames {
		c.refused[i] = reason(name)
	}
	for i, name := range forgotNames {
		c.forgot[i] = reason(name)
	}
	return c
}

func (c *counters) add(ctx context.Context, n *counts, carry *carryCache) {
	for reason, refused := range n.refused {
		if refused > 0 {
			c.telemetry.ProcessorCorrelationRefusedKeys.Add(ctx, refused, c.refused[reason])
		}
	}
	if carry == nil {
		return
	}
	if n.carried > 0 {
		c.telemetry.ProcessorCorrelationCarriedKeys.Add(ctx, n.carried)
	}
	forgot, traces := carry.takeForgot()
	for reason, evicted := range forgot {
		if evicted > 0 {
			c.telemetry.ProcessorCorrelationEvictedTraces.Add(ctx, evicted, c.forgot[reason])
		}
	}
	c.telemetry.ProcessorCorrelationCarriedTraces.Record(ctx, int64(traces))
}
